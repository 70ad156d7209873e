// The resources that few pages use. Each page's file contains those that it imports, and the application none of them.

import * as resources from "../../../../clients/typescript/src/generated/resources.js";
import { caller } from "../../lib/api.js";

export const analytics = /* @__PURE__ */ new resources.Analytics(caller);
export const billingProfiles = /* @__PURE__ */ new resources.BillingProfiles(caller);
export const clients = /* @__PURE__ */ new resources.Clients(caller);
export const coupons = /* @__PURE__ */ new resources.Coupons(caller);
export const credits = /* @__PURE__ */ new resources.Credits(caller);
export const meters = /* @__PURE__ */ new resources.Meters(caller);
export const operators = /* @__PURE__ */ new resources.Operators(caller);
export const taxRates = /* @__PURE__ */ new resources.TaxRates(caller);
export const testClocks = /* @__PURE__ */ new resources.TestClocks(caller);
export const userSessions = /* @__PURE__ */ new resources.UserSessions(caller);
export const webhookEndpoints = /* @__PURE__ */ new resources.WebhookEndpoints(caller);
