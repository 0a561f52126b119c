use super::fixture::{descriptor, registry};
use super::{Policy, RemoteInference};
use crate::caller::{CallerScope, Category};

#[test]
fn a_policy_in_memory_has_on_what_it_was_told_by_name_and_what_runs_by_itself() {
    let registry = registry();
    let me = CallerScope::operator("me", "1");
    let on = |policy: &Policy| -> Vec<String> {
        let all = registry.descriptors().filter(|d| policy.admits(&me, d).is_ok());
        all.map(|d| format!("{}@{}", d.name(), d.version())).collect()
    };
    let granting = || Policy::granting(|_| [Category::Search].into());
    assert_eq!(on(&granting()), ["system.health@1"]);
    let fetch = granting().enabled("web.fetch");
    assert_eq!(on(&fetch), ["system.health@1", "web.fetch@1", "web.fetch@2"]);
    assert_eq!(on(&fetch.enabled("home.light")).len(), 4);
    let nothing = Policy::granting(|_| crate::caller::Categories::NONE).enabled("web.fetch");
    assert_eq!(on(&nothing), [""; 0]);
    let light = descriptor(&registry, "home.light", 1);
    assert!(granting().explain(&me, light).verdict.is_err());
    assert!(granting().enabled("home.light").explain(&me, light).verdict.is_ok());
}

#[test]
fn a_policy_in_memory_sends_nothing_off_the_device_until_it_is_told_to() {
    let registry = registry();
    let me = CallerScope::operator("me", "1");
    let policy = || Policy::granting(|_| [Category::Search].into());
    assert_eq!(policy().remote_inference(), RemoteInference::Never);
    for remote in [RemoteInference::Ask, RemoteInference::Always, RemoteInference::Never] {
        let told = policy().remote(remote).enabled("web.fetch");
        assert_eq!(told.remote_inference(), remote);
        let told = policy().enabled("web.fetch").remote(remote);
        assert_eq!(told.remote_inference(), remote);
        assert!(told.admits(&me, descriptor(&registry, "web.fetch", 1)).is_ok());
    }
}
