//! What is written for our own document, in its telling places.

use super::super::read;
use super::*;

fn ours() -> Model {
    read::model(include_str!("../../../../openapi.json")).unwrap()
}

#[test]
fn records_are_exact_and_typed() {
    let text = types(&ours());
    for expected in [
        "    price: Decimal\n",
        "            price=money(members[\"price\"]),\n",
        "    billing_cycle: BillingCycle\n",
        "    renews_at: datetime | None\n",
        "            renews_at=optional(instant, members[\"renews_at\"]),\n",
        "    tokens: tuple[Session, ...]\n",
        "            tokens=tuple(Session.read(item) for item in members[\"tokens\"]),\n",
        "    deleted: Literal[True]\n",
        "    refresh_token: str = field(repr=False)\n",
        "ProblemCode: TypeAlias = Literal[\n",
    ] {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
    assert!(!text.contains("class Problem:") && !text.contains("class PlanCreate:"));
}

#[test]
fn only_records_that_can_be_matched_have_a_tag() {
    let text = types(&ours());
    assert_eq!(text.matches("    etag: str | None = field(").count(), 20);
    // These can only be read.
    for record in ["UserEntitlements", "EntitlementCheck", "Connection", "CreditNote"] {
        let class = text.split(&format!("\nclass {record}:\n")).nth(1).unwrap().split("\nclass ").next().unwrap();
        assert!(class.contains("    etag: str | None"), "{record} has no tag");
    }
}

#[test]
fn calls_take_what_can_be_sent() {
    let text = operations(&ours());
    for expected in [
        "CREATE_PLAN = Operation(id=\"createPlan\", method=\"POST\", path=\"/subscription-plans\", takes_key=True)\n",
        "SIGN_IN = Operation(id=\"signIn\", method=\"POST\", path=\"/authentication/sign-in\", repeatable=False)\n",
        "        price: Decimal | int,\n",
        "        product_id: str | None | Unset = UNSET,\n",
        "        variants: Sequence[str] | Unset = UNSET,\n",
        "        if_match: str | None | Unset = UNSET,\n",
        "    def each(\n",
        "    def get_if_changed(self, slug: str, etag: str) -> Plan | None:\n",
        "    def check_if_changed(self, id: str, feature_key: str, etag: str, *, need: int | Unset = UNSET) -> EntitlementCheck | None:\n",
        "        self.plans = Plans(caller)\n",
    ] {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
    let update = text.split("class Subscriptions:").nth(1).unwrap().split("    def update(").nth(1).unwrap();
    let update = update.split(") -> ").next().unwrap();
    assert!(
        update.contains("ends_at: ") && !update.contains("created_at") && !update.contains("has_access"),
        "{update}"
    );
}

#[test]
fn a_page_has_what_its_list_has_next_to_the_records() {
    let (operations, types) = (operations(&ours()), types(&ours()));
    for expected in [
        "class MemberPage(Page[Member]):\n",
        "    seats: Seats\n",
        "    ) -> MemberPage:\n",
        "        return MemberPage(*parts(answer.body, Member.read), Seats.read(answer.body[\"seats\"]))\n",
    ] {
        assert!(operations.contains(expected), "{expected} is not in\n{operations}");
    }
    assert!(types.contains("    limit: int | Literal[\"unlimited\"] | None\n"), "{types}");
}

#[test]
fn required_arguments_come_first_and_reserved_words_get_out_of_the_way() {
    let text = operations(&ours());
    let create = text.split("class Plans:").nth(1).unwrap().split("    def create(\n").nth(1).unwrap();
    let (cycle, product) = (create.find("billing_cycle").unwrap(), create.find("product_id").unwrap());
    assert!(cycle < product, "{create}");
    assert_eq!((argument("from"), argument("slug")), ("from_".to_owned(), "slug".to_owned()));
}

#[test]
fn what_the_document_says_cannot_end_a_docstring() {
    assert_eq!(prose("a \\ b and \"\"\" c"), "a \\\\ b and \" c");
}

#[test]
fn the_tour_makes_every_call() {
    let readme = include_str!("../../../../clients/python/README.md");
    let tour = include_str!("../../../../clients/python/tests/tour.py");
    for (group, operations) in ours().groups() {
        for (place, _) in operations {
            let call = format!(".{group}.{}", place.name);
            let is_made =
                |text: &str| [&format!("{call}("), &format!("{call},")].iter().any(|made| text.contains(*made));
            assert!(is_made(readme) || is_made(tour), "neither the README nor tour.py calls `{call}`");
        }
    }
}

#[test]
fn the_version_is_the_documents() {
    assert!(version(&ours()).ends_with(&format!("VERSION = \"{}\"\n", env!("CARGO_PKG_VERSION"))));
}
