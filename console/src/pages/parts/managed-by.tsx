// In place of actions: the connection that manages a record.

import { useLoad } from "../../lib/load.js";
import { to } from "../../lib/router.js";
import { can } from "../../lib/session.js";
import { connections } from "./connections.js";

export function ManagedBy({ id }: { id: string }) {
  const { data } = useLoad(can("organization:read") ? `connection ${id}` : null, () => connections.get(id));
  return (
    <p>
      Managed by <a href={to("connections", id)}>{data?.name ?? id}</a>
    </p>
  );
}

/** The connection of a record; null if there is none. */
export const managedBy = (record: object): string | null => (record as { managed_by?: string | null }).managed_by ?? null;
