// A part of a page that is loaded when it is first shown.

import type { ComponentType } from "preact";
import { useLoad } from "../lib/load.js";
import { Problem } from "./problem.js";

export function Later<P extends object>({ load, props }: { load: () => Promise<{ default: ComponentType<P> }>; props: P }) {
  const { data, error, reload } = useLoad("later", load);
  if (error !== undefined) {
    return <Problem error={error} retry={reload} />;
  }
  const Part = data?.default;
  return Part === undefined ? null : <Part {...props} />;
}
