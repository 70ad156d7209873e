// A record page: its name, fields, tabs, timeline, and the record as the API returns it.

import type { ComponentChildren } from "preact";
import { curlOf } from "../lib/api.js";
import { can } from "../lib/session.js";
import { useSlow } from "../lib/load.js";
import { to } from "../lib/router.js";
import { Command, Heading, Id, Tabs, Terms, Card, ViewOnly, type Term } from "./basics.js";
import { Problem } from "./problem.js";
import { Skeleton } from "./table.js";
import { Timeline } from "./timeline.js";

interface RecordProps {
  list: readonly [page: string, name: string];
  id: string;
  /** The record's name, address or number. */
  name: string;
  badge?: ComponentChildren;
  actions?: ComponentChildren;
  /** The scope that the actions need. */
  scope: string;
  terms: readonly Term[];
  termsTitle?: string;
  tabs?: readonly (readonly [name: string, panel: () => ComponentChildren])[];
  /** The record as the API returns it, and its path there. */
  json: object;
  path: string;
  version: string;
  /** The record whose timeline is shown, if it is another one. */
  timelineOf?: string;
  show?: (field: string, value: unknown) => string | undefined;
  children?: ComponentChildren;
}

export function RecordPage({ list, id, name, badge, actions, scope, terms, termsTitle = "Details", tabs = [], json, path, version, timelineOf = id, show, children }: RecordProps) {
  return (
    <>
      <Breadcrumb list={list} id={id} />
      <header class="page-head">
        <div class="title">
          <Heading>{name}</Heading>
          {badge}
        </div>
        {can(scope) ? <div class="actions">{actions}</div> : <ViewOnly />}
      </header>
      <div class="columns">
        <div>
          <Card title={termsTitle}>
            <Terms terms={terms} />
          </Card>
          {children}
          <Tabs tabs={[...tabs, ["JSON", () => <Json record={json} path={path} />]]} />
        </div>
        <Timeline id={timelineOf} version={version} show={show} />
      </div>
    </>
  );
}

function Breadcrumb({ list: [page, name], id }: { list: RecordProps["list"]; id: string }) {
  return (
    <p class="breadcrumb">
      <a href={to(page)}>{name}</a> / <Id id={id} />
    </p>
  );
}

function Json({ record, path }: { record: object; path: string }) {
  return (
    <>
      <Command text={curlOf(path)} />
      <pre class="json" tabIndex={0}>
        <code>{JSON.stringify(record, null, 2)}</code>
      </pre>
    </>
  );
}

/** A record page before its record is there. */
export function RecordPending({ list, id, error, reload }: { list: RecordProps["list"]; id: string; error: unknown; reload: () => void }) {
  const isSlow = useSlow(error === undefined);
  return (
    <>
      <Breadcrumb list={list} id={id} />
      <header class="page-head">
        <Heading>{id}</Heading>
      </header>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {isSlow && <Skeleton rows={12} />}
    </>
  );
}
