// The pictures of the README, from a server with demo data: `cargo xtask console-e2e --pictures`.

import { join } from "node:path";
import { launch, open, ready, Server, withPage } from "./harness.mjs";

const images = join(import.meta.dirname, "../../docs/images");
const viewport = { width: 1120, height: 640 };

const server = await Server.start("--demo");
const browser = await launch();
try {
  await withPage({ browser, server, options: { viewport, colorScheme: "light" } }, async (page) => {
    await open(page, server, "subscriptions?status=past_due,cancelled");
    await page.screenshot({ path: join(images, "console-subscriptions.png") });
  });
  await withPage({ browser, server, options: { viewport, colorScheme: "dark" } }, async (page) => {
    await open(page, server, "subscriptions?status=cancelled");
    await page.getByRole("table", { name: "Subscriptions" }).getByRole("link").first().click();
    await ready(page);
    await page.getByRole("list", { name: "Timeline" }).getByRole("listitem").first().waitFor();
    await page.screenshot({ path: join(images, "console-subscription.png") });
  });
} finally {
  await browser.close();
  await server.stop();
}
