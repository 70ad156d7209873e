//! The examples at the end of each help text. A test checks that the command line accepts every line.

pub(super) const PERENNIAL: &str = "Examples:
  perennial serve              # on 127.0.0.1:8080, with its data in ./data
  perennial config show        # the effective configuration
  perennial serve --help       # all flags";

pub(super) const SERVE: &str = "Examples:
  perennial serve
  perennial serve --listen 0.0.0.0:8080 --public-url https://billing.example.com
  perennial serve --database-url postgres://user@host/database
  perennial serve --demo --data-dir ./demo

Pass secrets in files instead of the command line: PERENNIAL_DATABASE_URL_FILE, PERENNIAL_MASTER_KEY_FILE
and PERENNIAL_BOOTSTRAP_CLIENT_ID_FILE each name one.";

pub(super) const DEMO: &str = "Examples:
  perennial demo --data-dir ./demo
  perennial demo --seed 7 --scale 0.1 --data-dir ./small";

pub(super) const EXPORT: &str = "Examples:
  perennial export everything.ndjson
  perennial export ./everything/
  perennial export ./tables/ --format csv
  perennial export --data-dir ./demo";

pub(super) const IMPORT: &str = "Examples:
  perennial import everything.ndjson --dry-run
  perennial import ./everything/ --data-dir ./new
  perennial import everything.ndjson --skip-bad refused.ndjson --into acme
  perennial import --from stripe ./stripe/ --dry-run --report report.ndjson
  perennial import --from lemon-squeezy products.json variants.json stores.json";

pub(super) const COPY: &str = "Examples:
  perennial copy --from ./data --to postgres://user@host/database
  perennial copy --from postgres://user@host/database --to ./data";

pub(super) const BACKUP: &str = "Examples:
  perennial backup create perennial-2026-11-15.backup
  perennial backup verify perennial-2026-11-15.backup
  perennial backup restore perennial-2026-11-15.backup --data-dir ./restored";

pub(super) const COMPACT: &str = "Examples:
  perennial compact
  perennial compact --data-dir /var/lib/perennial --json";

pub(super) const ORG: &str = "Examples:
  perennial org create --name acme --currency EUR
  perennial org create --name sandbox --test
  perennial org update acme --max-sessions 5
  perennial org delete acme --yes
  perennial org list --json";

pub(super) const LIFECYCLE: &str = "Examples:
  perennial lifecycle status
  perennial lifecycle status --org acme --json
  perennial lifecycle hold --restored-to 2026-01-31T04:00:00Z --all
  perennial lifecycle resume --org acme
  perennial lifecycle resume --org acme --through 2026-01-31T00:00:00Z
  perennial lifecycle unpark sub_01j…
  perennial lifecycle unpark sub_01j… --org acme --json";

pub(super) const TEST_CLOCK: &str = "Examples:
  perennial test-clock create --org sandbox --now 2026-01-31T00:00:00Z
  perennial test-clock advance --org sandbox --to 2026-03-31T00:00:00Z --wait
  perennial test-clock advance --org sandbox --to 2026-05-31T00:00:00Z --jump
  perennial test-clock get --org sandbox --json
  perennial test-clock delete --org sandbox";

pub(super) const OPERATOR: &str = "Examples:
  perennial operator create --name ada --role support
  perennial operator link ada
  perennial operator update ada --role viewer
  perennial operator update ada --is-active false
  perennial operator sessions ada
  perennial operator list --org acme --json";

pub(super) const WEBHOOK: &str = "Examples:
  perennial webhook create --url https://example.com/hooks --types 'subscription.*,payment.created'
  perennial webhook ping hook_01j…
  perennial webhook attempts hook_01j… --outcome failed
  perennial webhook retry hook_01j… --since 2026-01-31T09:30:00Z
  perennial webhook update hook_01j… --active true";

pub(super) const CONNECTION: &str = "Examples:
  perennial connection add stripe --name main --api-key-file stripe.key --webhook-secret-file stripe.whsec
  perennial connection check main
  perennial connection inbox main --state failed
  perennial connection retry main
  perennial connection rotate main --webhook-secret-file new.whsec
  perennial connection remove main --release";

pub(super) const CONSOLE: &str = "Examples:
  perennial console open
  perennial console open --operator ada --role viewer --org acme
  perennial console open --url https://billing.example.com --json";

pub(super) const CLIENT: &str = "Examples:
  perennial client create --name billing --kind trusted --scope plans:read,subscriptions:read
  perennial client create --name app --kind public --scope auth --origin https://app.example.com
  perennial client rotate billing
  perennial client disable app --org acme
  perennial client enable app --org acme
  perennial client update billing --scope plans:read --cidr 10.0.0.0/8 --expires-at 2027-01-01T00:00:00Z";

pub(super) const KEYS: &str = "Examples:
  perennial keys rotate
  perennial keys rotate --revoke-old";

pub(super) const USER: &str = "Examples:
  perennial user create --email ada@example.com
  perennial user list --limit 10
  perennial user list --email-prefix ada
  perennial user update ada@example.com --first-name Ada
  perennial user block ada@example.com
  perennial user erase ada@example.com
  perennial user relink --user ada@example.com --issuer https://login.example.com --subject 42
  perennial user relink --file identities.csv --dry-run";

pub(super) const PROVIDER: &str = "Examples:
  perennial provider add --preset google --audience 1234.apps.googleusercontent.com
  perennial provider check
  perennial provider remove https://accounts.google.com";

pub(super) const IDENTITY: &str = "Examples:
  perennial identity token --email ada@example.com";

pub(super) const EVENTS: &str = "Examples:
  perennial events list --limit 10
  perennial events prune --before 2026-01-31T00:00:00Z";

pub(super) const ANALYTICS: &str = "Examples:
  perennial analytics status
  perennial analytics check --org acme
  perennial analytics rebuild --org acme";

pub(super) const CONFIG: &str = "Examples:
  perennial config show
  perennial config check --config /etc/perennial.toml
  perennial config default > perennial.toml
  perennial config schema > perennial.schema.json";

pub(super) const COMPLETIONS: &str = "Examples:
  perennial completions bash > ~/.local/share/bash-completion/completions/perennial
  perennial completions zsh > ~/.zfunc/_perennial
  perennial completions fish > ~/.config/fish/completions/perennial.fish";

pub(super) const MAN: &str = "Examples:
  perennial man | man -l -
  perennial man --out ~/.local/share/man/man1";

pub(super) const DOCTOR: &str = "Examples:
  perennial doctor
  perennial doctor --listen 0.0.0.0:8080 --json";

pub(super) const SESSION: &str = "Examples:
  perennial session list --user ada@example.com
  perennial session revoke --user ada@example.com";

pub(super) const PLAN: &str = "Examples:
  perennial plan list
  perennial plan get pro-monthly -o json
  perennial plan versions pro-monthly";

pub(super) const SUBSCRIPTION: &str = "Examples:
  perennial subscription list --status active,past_due
  perennial subscription list --all -o csv > subscriptions.csv";

pub(super) const MEMBER: &str = "Examples:
  perennial subscription member add sub_01h455vb4pex5vsknk084sn02q ada@example.com
  perennial subscription member list sub_01h455vb4pex5vsknk084sn02q";

pub(super) const PAYMENT: &str = "Examples:
  perennial payment list --status failed
  perennial payment list --all -o json > payments.ndjson";

pub(super) const TAX_RATE: &str = "Examples:
  perennial tax-rate list
  perennial tax-rate list --all -o csv > tax-rates.csv";

pub(super) const COUPON: &str = "Examples:
  perennial coupon list
  perennial coupon list --all -o json > coupons.ndjson";

pub(super) const INVOICE: &str = "Examples:
  perennial invoice list --status open
  perennial invoice document INV-000042 --format pdf --output invoice.pdf
  perennial invoice series
  perennial invoice series --next 1001";

pub(super) const METER: &str = "Examples:
  perennial meter list
  perennial meter get api-calls -o json";

pub(super) const FEATURE: &str = "Examples:
  perennial feature create --key sso --name SSO --kind boolean
  perennial feature create --key api-calls --name Calls --kind quota --meter api-calls --period month
  perennial feature list --kind quota
  perennial feature update sso --is-active false";

pub(super) const LISTEN: &str = "Examples:
  perennial listen --forward-to http://localhost:3000/webhooks
  perennial listen --forward-to http://localhost:3000/webhooks --types 'subscription.*,payment.created' --since 10m
  perennial listen --forward-to http://localhost:3000/webhooks --api https://billing.example.com --client-id-file ./client-id";

pub(super) const TRIGGER: &str = "Examples:
  perennial trigger payment.created --to http://localhost:3000/webhooks
  perennial trigger webhook.ping --to http://localhost:3000/webhooks --secret-file ./webhook-secret
  perennial trigger payment.created --endpoint hook_01j…";

#[cfg(test)]
mod tests {
    use crate::arguments::Arguments;
    use clap::{CommandFactory, Parser, error::ErrorKind};

    #[test]
    fn every_example_is_accepted() {
        let mut lines = 0;
        for command in Arguments::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in examples.lines().filter(|line| line.starts_with("  perennial ")) {
                let words = line.split_whitespace().take_while(|word| !["#", ">", "|"].contains(word));
                let shown = |kind| matches!(kind, ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
                let refused = Arguments::try_parse_from(words).err().filter(|error| !shown(error.kind()));
                assert!(refused.is_none(), "{line}: {}", refused.map(|error| error.to_string()).unwrap_or_default());
                lines += 1;
            }
        }
        assert!(lines > 20, "{lines} lines");
    }
}
