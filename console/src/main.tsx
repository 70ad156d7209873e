// The application: finds the session, then shows the page of the address. A page is loaded when it is first opened.

import { render, type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useCell } from "./lib/cell.js";
import { startKeys } from "./lib/keys.js";
import { reads } from "./lib/load.js";
import { place, startRouter } from "./lib/router.js";
import { announce, recheckSession, refreshSession, signedIn, startSession } from "./lib/session.js";
import { startTheme } from "./lib/theme.js";
import { Heading } from "./parts/basics.js";
import { Problem } from "./parts/problem.js";
import { mayOpen, openPages, Shell } from "./parts/shell.js";
import { SignInAgain, SignInPage } from "./parts/sign-in.js";

interface PageModule {
  default: ComponentType<{ id: string }>;
}

/** The pages by the first segment of the address: the list, and the page of one record. */
const PAGES: Readonly<Record<string, readonly [() => Promise<PageModule>, (() => Promise<PageModule>)?]>> = {
  "": [() => import("./pages/overview.js")],
  movements: [() => import("./pages/movements.js")],
  subscriptions: [() => import("./pages/subscriptions.js"), () => import("./pages/subscription.js")],
  plans: [() => import("./pages/plans.js"), () => import("./pages/plan.js")],
  coupons: [() => import("./pages/coupons.js"), () => import("./pages/coupon.js")],
  "tax-rates": [() => import("./pages/tax-rates.js"), () => import("./pages/tax-rate.js")],
  meters: [() => import("./pages/meters.js"), () => import("./pages/meter.js")],
  payments: [() => import("./pages/payments.js"), () => import("./pages/payment.js")],
  invoices: [() => import("./pages/invoices.js"), () => import("./pages/invoice.js")],
  "credit-notes": [() => import("./pages/credit-notes.js"), () => import("./pages/credit-note.js")],
  users: [() => import("./pages/users.js"), () => import("./pages/user.js")],
  entitlements: [() => import("./pages/entitlements.js"), () => import("./pages/entitlement.js")],
  events: [() => import("./pages/events.js"), () => import("./pages/event.js")],
  webhooks: [() => import("./pages/webhooks.js"), () => import("./pages/webhook.js")],
  connections: [() => import("./pages/connections.js"), () => import("./pages/connection.js")],
  clients: [() => import("./pages/clients.js"), () => import("./pages/client.js")],
  operators: [() => import("./pages/operators.js")],
  settings: [() => import("./pages/settings.js")],
};

function loader(segments: readonly string[]): (() => Promise<PageModule>) | undefined {
  const page = segments[0] ?? "";
  return segments.length > 2 || !mayOpen(page) ? undefined : PAGES[page]?.[segments.length > 1 ? 1 : 0];
}

function Page() {
  const { segments } = useCell(place);
  const load = loader(segments);
  const [loaded, setLoaded] = useState<{ load: unknown; component?: ComponentType<{ id: string }>; error?: unknown }>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (load === undefined) {
      return;
    }
    reads.set(reads.get() + 1);
    load()
      .then(
        ({ default: component }) => setLoaded({ load, component }),
        (error: unknown) => setLoaded({ load, error }),
      )
      .finally(() => reads.set(reads.get() - 1));
  }, [load, attempt]);
  if (load === undefined) {
    return <NotFound />;
  }
  if (loaded?.load !== load) {
    return null;
  }
  if (loaded.component === undefined) {
    return (
      <>
        <Heading>Page not loaded</Heading>
        <Problem error={loaded.error} retry={() => setAttempt(attempt + 1)} />
      </>
    );
  }
  const Component = loaded.component;
  return <Component key={segments.join("/")} id={segments[1] ?? ""} />;
}

function NotFound() {
  return (
    <>
      <Heading>Page not found</Heading>
      <p>This page does not exist, or your role does not include it.</p>
    </>
  );
}

function App() {
  const known = useCell(signedIn);
  switch (known.state) {
    case "unknown":
      return null;
    case "out":
      return <SignInPage provider={known.provider} isBadLink={known.isBadLink} />;
    case "failed":
      return (
        <main class="sign-in">
          <Heading>Not available</Heading>
          <Problem error={known.error} retry={() => void refreshSession()} />
        </main>
      );
    case "in":
      return (
        <>
          <Shell session={known.session}>
            <Page />
          </Shell>
          <SignInAgain />
        </>
      );
  }
}

/** The role may change, and the server may be upgraded, while the page is open. */
function watchSession(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && signedIn.get().state === "in") {
      void recheckSession();
    }
  });
  addEventListener("offline", () => announce("The network is not available"));
  addEventListener("hashchange", () => {
    if (location.hash.startsWith("#link=")) {
      void startSession();
    }
  });
}

startTheme();
startRouter();
startKeys(openPages);
watchSession();
const root = document.getElementById("app");
if (root !== null) {
  void startSession();
  render(<App />, root);
}
