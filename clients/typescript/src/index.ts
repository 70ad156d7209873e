// What the package offers.

export { answerOf, type AnswerDetails } from "./answers.js";
export { Perennial } from "./client.js";
export type { EntitlementDecision } from "./entitlement_entries.js";
export { EntitlementCache, type EntitlementCacheOptions } from "./entitlements.js";
export type { EventsOptions } from "./events.js";
export type { CallOptions, ChangeOptions, ClientOptions, CreateOptions, ReadOptions, RetryOptions, Surroundings } from "./options.js";
export { fromMinorUnits, toMinorUnits } from "./money.js";
export type { FiguresOf, PageOf } from "./pages.js";
export { ConnectionFailed, CursorGone, PerennialError, PerennialProblem, TimedOut, UnexpectedAnswer } from "./problem.js";
export { type CurrentSession, MemoryTokens, type StoredTokens, type TokenStore } from "./session.js";
export { InvalidWebhook, verifyWebhook, type VerifyOptions, type WebhookHeaders } from "./webhooks.js";
export * from "./generated/types.js";
export type * from "./generated/resources.js";
