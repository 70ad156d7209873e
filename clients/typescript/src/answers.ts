// What an answer says beside its record. It is kept beside the record, so that a record is no more than its fields.

export interface AnswerDetails {
  status: number;
  /** The record's revision, for `ifMatch`. Lists have none. */
  etag: string | undefined;
  /** What to tell the operator. */
  requestId: string | undefined;
  /** Whether the service remembered this answer from an earlier attempt under the same key. */
  replayed: boolean;
  /** Where a new record is. */
  location: string | undefined;
}

const details = new WeakMap<object, AnswerDetails>();

/** How a record, or a page of them, was answered; nothing for an object that no call of this package returned. */
export function answerOf(record: object): AnswerDetails | undefined {
  return details.get(record);
}

export function remember<T extends object>(record: T, status: number, headers: Headers): T {
  details.set(record, {
    status,
    etag: headers.get("etag") ?? undefined,
    requestId: headers.get("x-request-id") ?? undefined,
    replayed: headers.get("idempotency-replayed") === "true",
    location: headers.get("location") ?? undefined,
  });
  return record;
}

/** The entity tag of a record or of what is one already. */
export function etagOf(known: object | string): string {
  const etag = typeof known === "string" ? known : answerOf(known)?.etag;
  if (etag === undefined) {
    throw new TypeError("This record has no entity tag: use one that `get`, `create` or `update` returned, not a copy or a list's.");
  }
  return etag;
}
