// Forms have the members of nested objects as fields with the name of their place, such as `billing/time_zone`.

/** The object of such members. */
export function nested(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const whole: Record<string, unknown> = {};
  for (const [place, value] of Object.entries(members)) {
    const names = place.split("/");
    const last = names.pop() ?? place;
    let parent = whole;
    for (const name of names) {
      parent = (parent[name] ??= {}) as Record<string, unknown>;
    }
    parent[last] = value;
  }
  return whole;
}
