use super::*;
use crate::caller::Category;
use crate::capability::{Bounds, Call, Failure, Run, SideEffect};
use crate::prelude::capability;
use crate::schema::render;

/// Says one.
#[capability(name = "a.one", side_effect = read_only, network = local, category = notes)]
struct One;

impl Run for One {
    type State = ();
    type Output = u8;
    async fn run(self, _: Call<'_, Self>) -> Result<u8, Failure> {
        Ok(1)
    }
}

static PLUGIN: Plugin<()> = Plugin::new("a", &[One::ENTRY]);

#[test]
fn another_definition_under_the_same_version_is_another_digest() {
    let registry = Registry::builder().install(&PLUGIN, Arc::default()).build().unwrap();
    let d = *registry.descriptors().next().unwrap();
    let schema = render(&d.arguments, Profile::Full);
    let same = digest(&d, &schema);
    assert_eq!(registry.slots().next().unwrap().digest, same);
    let mut others = Vec::new();
    let changes: [fn(&mut Descriptor); 6] = [
        |d| d.declaration.description = "Says two.",
        |d| d.declaration.category = Category::Files,
        |d| d.declaration.loopback = true,
        |d| d.declaration.bounds = Bounds { max_per_turn: 2, ..Bounds::DEFAULT },
        |d| d.side_effect = SideEffect::Mutating,
        |d| d.network = Network::External,
    ];
    for change in changes {
        let mut changed = d;
        change(&mut changed);
        others.push(digest(&changed, &schema));
    }
    others.push(digest(&d, "null"));
    others.push(same);
    let different: std::collections::BTreeSet<_> = others.iter().collect();
    assert_eq!(different.len(), others.len());
}

const TOO_MANY: Few = Few(500);

/// Not many, of which const evaluation knows nothing.
#[derive(Clone, Copy, crate::Arg)]
struct Few(#[arg(range(max = 100))] u32);

/// Lists what there is.
#[capability(name = "a.default", side_effect = read_only, network = local, category = notes)]
struct Beyond {
    /// How many.
    #[arg(default = TOO_MANY)]
    limit: Few,
}

type Five = Vec<Vec<Vec<Vec<Vec<u8>>>>>;

/// Takes lists of lists.
#[capability(name = "a.deep", side_effect = read_only, network = local, category = notes)]
struct Deep {
    /// One level is the object, ten more are here.
    lists: Vec<Vec<Vec<Vec<Vec<Five>>>>>,
}

/// Many fields of a long text each.
macro_rules! long {
    ($($field:ident)*) => {
        /// Says much.
        #[capability(name = "a.long", side_effect = read_only, network = local, category = notes)]
        struct Long {
            $(
                /// Of all that can be said about this field, which is more than anybody would want to read, this is a part, and it is said once more at the next one.
                $field: [Point; 2],
            )*
        }
    };
}
long!(a b c d e f g h i j k l m n o p q r s t u v w x y z);

/// A point.
#[derive(crate::Arg)]
struct Point {
    /// How far to the right of where one stands this is, seen from above, in metres and parts of them.
    x: f64,
    /// How far in front of where one stands this is, seen from above, in metres and parts of them.
    y: f64,
    /// How far above where one stands this is, seen from the side, in metres and parts of them.
    z: f64,
}

macro_rules! says_nothing {
    ($($capability:ident: $($field:ident)*;)*) => {$(
        impl Run for $capability {
            type State = ();
            type Output = ();
            async fn run(self, _: Call<'_, Self>) -> Result<(), Failure> {
                $(let _ = &self.$field;)*
                Ok(())
            }
        }
    )*};
}
says_nothing! {
    Beyond: limit;
    Deep: lists;
    Long: a b c d e f g h i j k l m n o p q r s t u v w x y z;
}

static BEYOND: Plugin<()> = Plugin::new("beyond", &[Beyond::ENTRY]);
static DEEP: Plugin<()> = Plugin::new("deep", &[Deep::ENTRY]);
static LONG: Plugin<()> = Plugin::new("long", &[Long::ENTRY]);

#[test]
fn arguments_that_cannot_be_offered_stop_the_start_and_say_why() {
    let stopped = |plugin| {
        let error = Registry::builder().install(plugin, Arc::default()).build().unwrap_err();
        error.to_string()
    };
    assert_eq!(
        stopped(&BEYOND),
        "`a.default` version 1: the default of `limit` is not a value that the field takes: \
         expected an integer from 0 to 100"
    );
    assert_eq!(
        stopped(&DEEP),
        "`a.deep` version 1: the arguments have more than 10 levels of objects and lists: flatten them"
    );
    let long = stopped(&LONG);
    assert!(long.starts_with("`a.long` version 1: the schema of the arguments is "), "{long}");
    assert!(long.contains(" bytes long and the limit is 16384: "), "{long}");
}
