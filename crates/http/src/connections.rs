//! `/connections`: accounts at payment providers and the webhooks that were received. They hold the operator's secrets, so
//! only the command line changes them.

use crate::access::Access;
use crate::call::Call;
use crate::error_codes::Code;
use crate::headers::etag;
use crate::list_query::{self, ListQuery};
use crate::operation::{Handler, Operation, ResponseKind};
use crate::problem::Problem;
use crate::query::{Parameter, Query, QuerySpec};
use crate::reply::Reply;
use crate::schema;
use http::Method;
use perennial_app::connections::{self, InboxItemView, InboxQuery};
use perennial_app::error::Error;
use perennial_domain::clients::Scope;
use perennial_domain::connections::inbox::InboxState;
use perennial_domain::id::ConnectionId;
use perennial_domain::text::Line;
use perennial_domain::validation::InvalidValue;

mod view;

pub(crate) use view::CONNECTION;
use view::INBOX_ITEM;

const DEFAULT_LIMIT: usize = 50;
const TAG: &str = "Connections";

pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        id: "listConnections",
        method: Method::GET,
        path: "/connections",
        tag: TAG,
        summary: "List connections to payment providers",
        description: "Newest first. Connections are created with `perennial connection add`.",
        access: Access::Scope(Scope::OrganizationRead),
        query: QuerySpec {
            parameters: &[list_query::limit::<DEFAULT_LIMIT>(), list_query::CURSOR],
            parse: |query| {
                parse_list_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&CONNECTION),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(list(call))),
    },
    Operation {
        id: "readConnection",
        method: Method::GET,
        path: "/connections/{id}",
        tag: TAG,
        summary: "Read a connection to a payment provider",
        description: "`last_received_at` and `last_swept_at` are not part of the ETag.",
        access: Access::Scope(Scope::OrganizationRead),
        query: QuerySpec::NONE,
        body: None,
        response: ResponseKind::Record(&CONNECTION),
        errors: &[],
        handler: Handler::Read(|call| Box::pin(read(call))),
    },
    Operation {
        id: "listConnectionInbox",
        method: Method::GET,
        path: "/connections/{id}/inbox",
        tag: TAG,
        summary: "List received webhooks of a connection",
        description: "Newest first, each with what became of it.",
        access: Access::Scope(Scope::OrganizationRead),
        query: QuerySpec {
            parameters: &[
                Parameter {
                    name: "state",
                    description: "Webhooks in this state.",
                    schema: || schema::words(&["waiting", "applied", "unchanged", "ignored", "failed"]),
                },
                Parameter { name: "type", description: "Webhooks of this type.", schema: schema::text },
                Parameter {
                    name: "object_id",
                    description: "Webhooks about the object with this ID at the provider.",
                    schema: schema::text,
                },
                list_query::limit::<DEFAULT_LIMIT>(),
                list_query::CURSOR,
            ],
            parse: |query| {
                inbox_query(query);
            },
        },
        body: None,
        response: ResponseKind::List(&INBOX_ITEM),
        errors: &[Code::InvalidCursor],
        handler: Handler::Read(|call| Box::pin(inbox(call))),
    },
];

async fn list(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { limit, cursor, .. } = parse_list_query(&mut call.query);
    call.no_body().await?;
    let (records, next) = connections::list(call.app, &call.caller, cursor.as_deref(), limit).await?;
    let views = connections::describe_all(call.app, records).await?;
    Ok(Reply::list(&views, next.as_deref(), limit))
}

async fn read(mut call: Call<'_>) -> Result<Reply, Problem> {
    call.no_body().await?;
    let record = connections::read(call.app, &call.caller, connection_id(&call)?).await?;
    let tag = etag(record.revision, None);
    Ok(Reply::record(connections::describe(call.app, record).await?, tag))
}

async fn inbox(mut call: Call<'_>) -> Result<Reply, Problem> {
    let ListQuery { filters, limit, cursor } = inbox_query(&mut call.query);
    call.no_body().await?;
    let id = connection_id(&call)?;
    let (items, next) = connections::inbox(call.app, &call.caller, id, &filters, cursor.as_deref(), limit).await?;
    let views: Vec<InboxItemView> = items.into_iter().map(InboxItemView::from).collect();
    Ok(Reply::list(&views, next.as_deref(), limit))
}

fn parse_list_query(query: &mut Query) -> ListQuery<()> {
    ListQuery::parse(query, (), DEFAULT_LIMIT)
}

fn inbox_query(query: &mut Query) -> ListQuery<InboxQuery> {
    let filters = InboxQuery {
        state: query.get("state", InboxState::parse),
        kind: query.get("type", one_line),
        object_id: query.get("object_id", one_line),
    };
    ListQuery::parse(query, filters, DEFAULT_LIMIT)
}

/// A text that can be stored: PostgreSQL rejects U+0000.
fn one_line(text: &str) -> Result<String, InvalidValue> {
    Line::<1, 255>::parse(text).map(|line| line.as_str().to_owned())
}

pub(crate) fn connection_id(call: &Call<'_>) -> Result<ConnectionId, Error> {
    call.path_parameter(0).parse().map_err(|_| Error::NotFound)
}
