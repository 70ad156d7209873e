// Builds the console: `node build.mjs [DIRECTORY]`, or `--test` for the unit tests.
//
// The same sources give the same bytes everywhere: names are stable, nothing depends on time, path or machine. `app.js` contains
// everything that pages share and exports it; a page imports from it, so that no code is loaded twice.

import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
const source = join(root, "src");

const { version } = JSON.parse(readFileSync(join(root, "../openapi.json"), "utf8")).info;

const common = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
  define: { VERSION: JSON.stringify(version) },
};

/** The names of the source files of a folder, sorted: the order is part of the bytes. */
function files(folder, pattern) {
  return readdirSync(join(source, folder)).filter((name) => pattern.test(name)).sort();
}

const pages = [...files("pages", /\.tsx$/), ...files("pages/later", /\.tsx$/).map((name) => `later/${name}`)];

/** The name of a page's file. */
const built = (page) => page.split("/").at(-1).replace(/tsx$/, "js");

/**
 * Pages import everything outside of `pages/` from the application, except resources of the generated client that only they use; the
 * application imports pages when they are opened.
 */
const linked = {
  name: "linked",
  setup(builder) {
    builder.onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
      if (kind === "dynamic-import") {
        return { path: `./${path.split("/").at(-1)}`, external: true };
      }
      const isOfPage = (file) => !relative(join(source, "pages"), file).startsWith("..");
      const isOwn = (path.startsWith(".") && isOfPage(join(dirname(importer), path))) || path.includes("/generated/");
      return kind === "entry-point" || !isOfPage(importer) || isOwn ? undefined : { path: "./app.js", external: true };
    });
  },
};

async function application() {
  const shared = [...files("lib", /\.tsx?$/).map((name) => `lib/${name}`), ...files("parts", /\.tsx$/).map((name) => `parts/${name}`)];
  const modules = ["preact", "preact/hooks", "preact/jsx-runtime", ...shared.map((path) => `./${path}`), "./main.tsx"];
  const contents = modules.map((path) => `export * from ${JSON.stringify(path)};`).join("\n");
  const stdin = { contents, resolveDir: source, sourcefile: "app.ts", loader: "ts" };
  return await bundle({ ...common, stdin, plugins: [linked] });
}

async function bundle(options) {
  const { outputFiles } = await build({ minify: true, ...options });
  return outputFiles[0].contents;
}

async function outputs() {
  const found = new Map();
  found.set("app.js", await application());
  found.set("app.css", await bundle({ ...common, entryPoints: [join(source, "style/app.css")] }));
  for (const page of pages) {
    const entryPoints = [join(source, "pages", page)];
    found.set(built(page), await bundle({ ...common, entryPoints, plugins: [linked] }));
  }
  found.set("index.html", readFileSync(join(source, "index.html")));
  found.set("NOTICES", notices());
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The licenses of what the built files contain. */
function notices() {
  const { version, license } = JSON.parse(readFileSync(join(root, "node_modules/preact/package.json"), "utf8"));
  const text = readFileSync(join(root, "node_modules/preact/LICENSE"), "utf8");
  return Buffer.from(`The files of the console contain Preact ${version} (${license}):\n\n${text.trim()}\n`);
}

/** What a browser may load, in compressed bytes: at first, of a further page, and of all pages. */
const BUDGETS = { script: 35_000, style: 8_000, page: 12_000, all: 120_000 };

function checkBudgets(found) {
  const size = (name) => gzipSync(found.get(name), { level: 9 }).length;
  const sizes = pages.map((page) => size(built(page)));
  const [script, largest] = [size("app.js"), Math.max(...sizes)];
  const measured = { script: script + largest, style: size("app.css"), page: largest, all: script + size("app.css") + sizes.reduce((sum, one) => sum + one, 0) };
  for (const [name, most] of Object.entries(BUDGETS)) {
    if (measured[name] > most) {
      throw new Error(`the budget of ${name} is ${most} bytes, and it has ${measured[name]}`);
    }
  }
}

async function write(directory) {
  const found = await outputs();
  checkBudgets(found);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  let sums = "";
  for (const [name, contents] of found) {
    writeFileSync(join(directory, name), contents);
    sums += `${createHash("sha256").update(contents).digest("hex")}  ${name}\n`;
  }
  writeFileSync(join(directory, "SHA256SUMS"), sums);
}

/** Compiles the unit tests and runs them with Node's test runner. */
async function test() {
  const entryPoints = readdirSync(join(root, "test")).filter((name) => name.endsWith(".test.ts")).map((name) => join(root, "test", name));
  const directory = join(root, "build-test");
  await build({ ...common, platform: "node", write: true, outdir: directory, outExtension: { ".js": ".mjs" }, entryPoints, external: ["node:*"] });
  const compiled = readdirSync(directory).filter((name) => name.endsWith(".test.mjs")).map((name) => join(directory, name));
  const { status } = spawnSync(process.execPath, ["--test", ...compiled], { stdio: "inherit", cwd: root });
  process.exitCode = status ?? 1;
}

const argument = process.argv[2];
await (argument === "--test" ? test() : write(argument ?? join(root, "dist")));
