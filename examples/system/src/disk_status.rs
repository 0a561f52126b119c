use crate::{SystemSource, Volume};
use sovereign_core::prelude::*;

/// Tells how much disk space is left: free, used and total storage of the data volume.
#[capability(
    name = "system.disk_status",
    version = 1,
    side_effect = read_only,
    network = local,
    category = system,
    timeout = "5s", max_result = "64KiB", max_per_turn = 3,
)]
#[derive(Debug)]
pub struct DiskStatus {}

impl Run for DiskStatus {
    type State = dyn SystemSource;
    type Output = Volume;

    async fn run(self, call: Call<'_, Self>) -> Result<Volume, Failure> {
        let volume = call.blocking(|system| system.volume()).await?;
        volume.map_err(|error| {
            Failure::new("disk_unavailable").says("the data volume cannot be read").detail(error)
        })
    }
}
