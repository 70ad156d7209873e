// Four steps to the first subscription, each with calls that can be copied. A completed step shows "Done".

import { useState } from "preact/hooks";
import { currentSession } from "../../lib/session.js";
import { Command, Status } from "../../parts/basics.js";

export interface Progress {
  /** The slug of a plan, if there is one. */
  plan: string | undefined;
  hasServer: boolean;
  hasProvider: boolean;
}

interface Step {
  name: string;
  isDone: boolean;
  curl: string;
  typescript: string;
  python: string;
}

function steps({ plan, hasServer, hasProvider }: Progress): Step[] {
  const base = location.origin;
  const currency = currentSession()?.organization.currency ?? "USD";
  const slug = plan ?? "pro";
  const call = `curl -H "client-id: $PERENNIAL_CLIENT_ID"`;
  return [
    {
      name: "Create a plan",
      isDone: plan !== undefined,
      curl: `${call} -H 'content-type: application/json' ${base}/subscription-plans \\\n  -d '{"name": "Pro", "slug": "pro", "price": 29, "currency": "${currency}", "billing_cycle": "monthly"}'`,
      typescript: `await perennial.plans.create({ name: "Pro", slug: "pro", price: 29, currency: "${currency}", billing_cycle: "monthly" });`,
      python: `perennial.plans.create(name="Pro", slug="pro", price=Decimal(29), currency="${currency}", billing_cycle="monthly")`,
    },
    {
      name: "Connect your server",
      isDone: hasServer,
      curl: `perennial client create --name my-server --kind trusted --scope subscriptions:read --scope subscriptions:write --scope users:write --scope plans:read\n${call} ${base}/subscription-plans`,
      typescript: `import { Perennial } from "@perennial/client";\nconst perennial = new Perennial({ baseUrl: "${base}", clientId: process.env.PERENNIAL_CLIENT_ID });`,
      python: `from perennial_client import Perennial\nperennial = Perennial("${base}", os.environ["PERENNIAL_CLIENT_ID"])`,
    },
    {
      name: "Add an identity provider",
      isDone: hasProvider,
      curl: `perennial provider add --issuer https://id.example.com --audience my-app\ncurl -H 'client-id: default' -H 'content-type: application/json' ${base}/authentication/sign-up \\\n  -d '{"access_token": "…", "email": "ada@example.com"}'`,
      typescript: `await perennial.auth.signUp({ access_token: token, email: "ada@example.com" });`,
      python: `perennial.auth.sign_up(access_token=token, email="ada@example.com")`,
    },
    {
      name: "Create a subscription",
      isDone: false,
      curl: `${call} -H 'content-type: application/json' ${base}/subscriptions \\\n  -d '{"user_id": "usr_…", "subscription_plan_id": "${slug}"}'`,
      typescript: `await perennial.subscriptions.create({ user_id: user.id, subscription_plan_id: "${slug}" });`,
      python: `perennial.subscriptions.create(user_id=user.id, subscription_plan_id="${slug}")`,
    },
  ];
}

const LANGUAGES = ["curl", "typescript", "python"] as const;
const NAMES = { curl: "curl", typescript: "TypeScript", python: "Python" } as const;

export default function GetStarted({ progress }: { progress: Progress }) {
  const [language, choose] = useState<(typeof LANGUAGES)[number]>("curl");
  return (
    <section class="card" aria-label="Get started">
      <div class="page-head">
        <h2>Get started</h2>
        <div class="actions" role="group" aria-label="Language">
          {LANGUAGES.map((known) => (
            <button key={known} type="button" aria-pressed={known === language} class={known === language ? "primary" : ""} onClick={() => choose(known)}>
              {NAMES[known]}
            </button>
          ))}
        </div>
      </div>
      <ol class="steps" aria-label="Get started">
        {steps(progress).map((step) => (
          <li key={step.name}>
            <h3>
              {step.name} {step.isDone && <Done />}
            </h3>
            <Command text={step[language]} name={`Copy: ${step.name}`} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Done() {
  return (
    <span class="done">
      <Status value="done" />
    </span>
  );
}
