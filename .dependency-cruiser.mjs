// The arrows of the architecture: who may import whom, one rule an arrow, each with the sentence that says why.
// Checked by `npm run check:arrows`; test/architecture/arrows.test.ts shows that each one bites.

const APPS = ['command-api', 'query-api', 'dashboard-api', 'projectors', 'consumers']

// From the bottom up. A package imports only packages of the lines above its own: so no two can need each other.
const LAYERS = [
  ['async'],
  ['mail-content', 'addresses'],
  ['observability', 'contracts', 'outbound-http'],
  ['providers'],
  ['config'],
  ['postgres'],
  ['jobs'],
  ['event-store'],
  ['codec'],
  ['read-models', 'projections', 'commands', 'log-views', 'bus', 'http'],
  ['directory', 'unique-contacts', 'receipts', 'wallet', 'analyst'],
  ['passcodes', 'sign-in', 'evidence'],
  ['backup-and-export', 'provisioning', 'people', 'administration'],
  ['service'],
  ['cli'],
]

const anyOf = (names) => `(${names.join('|')})`
const app = `^${anyOf(APPS)}/`
const packages = (names) => `^packages/${anyOf(names)}/`

// Tests, what only tests load, and the contract suites that packages export for the tests of others.
const TEST_CODE = '[.](test|testing|fixture)[.]ts$|/(contract|testing|test)/|^test/|^vitest'

const downward = LAYERS.flatMap((layer, height) =>
  layer.map((name) => {
    const others = LAYERS.slice(height)
      .flat()
      .filter((other) => other !== name)
    return {
      name: `${name}-imports-downward`,
      comment: `${name} imports only packages below it: what it builds on must be understandable, and testable, without it.`,
      severity: 'error',
      from: { path: `^packages/${name}/` },
      to: { path: others.length === 0 ? '^$' : packages(others) },
    }
  }),
)

const appsApart = APPS.map((name) => ({
  name: `${name}-imports-no-app`,
  comment: `${name} runs alone, in its own process: what it shares with another app is a package.`,
  severity: 'error',
  from: { path: `^${name}/` },
  to: { path: `^${anyOf(APPS.filter((other) => other !== name))}/` },
}))

/** A client library that only its adapter may know. */
const adapterOnly = (library, owner, why) => ({
  name: `${library.replace(/^@[^/]+\//, '')}-stays-in-its-adapter`,
  comment: why,
  severity: 'error',
  from: { pathNot: `${owner}|^packages/testing/|^test/` },
  to: { path: `node_modules/${library}/` },
})

export default {
  forbidden: [
    {
      name: 'domain-imports-nothing',
      comment: 'The rules of the product are plain functions over values: no library, no clock, no I/O, nothing that can fail but a rule.',
      severity: 'error',
      from: { path: '^domain/', pathNot: TEST_CODE },
      to: { pathNot: '^domain/' },
    },
    {
      name: 'clients-import-nothing-of-the-tree',
      comment: 'A client is packed alone: it has its own folder, and openapi-fetch.',
      severity: 'error',
      from: { path: '^clients/' },
      to: { pathNot: '^clients/typescript/|node_modules/openapi-fetch/' },
    },
    {
      name: 'dashboard-is-a-client',
      comment:
        'The dashboard is a client of the API without privileges of its own: of the tree it takes the rules of the domain, the shapes of answers, and the verifier that every proof carries.',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: `^clients/|${app}|^packages/`, pathNot: '^packages/(contracts|evidence/verifiers)/' },
    },
    {
      name: 'dashboard-takes-shapes-as-types',
      comment:
        'The schemas of packages/contracts are for a server: a browser would load all of them, and the library that they are made with.',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^packages/contracts/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'screens-stand-alone',
      comment: 'A screen is read, changed and loaded without any other: what two need is a part of ui, api or domain.',
      severity: 'error',
      from: { path: '^dashboard/src/screens/([^/]+)/' },
      to: { path: '^dashboard/src/screens/', pathNot: '^dashboard/src/screens/$1/' },
    },
    {
      name: 'parts-know-no-screen',
      comment: 'Every screen is built of these: one that knew a screen would load it with all the others.',
      severity: 'error',
      from: { path: '^dashboard/src/(api|app|theme|ui|words)/' },
      to: { path: '^dashboard/src/screens/' },
    },
    {
      name: 'pages-are-not-imported',
      comment:
        'The service serves what was built of the dashboard, and runs without it. Tests take the addresses of its screens from paths.ts.',
      severity: 'error',
      from: { pathNot: '^(dashboard|test)/' },
      to: { path: '^dashboard/' },
    },
    ...downward,
    ...appsApart,
    {
      name: 'only-the-service-wires-apps',
      comment: 'An app is started in one place, packages/service; a package that knew an app could not be used by another.',
      severity: 'error',
      from: { path: '^(packages|domain)/', pathNot: '^packages/service/' },
      to: { path: app },
    },
    {
      name: 'only-the-command-line-imports-the-service',
      comment: 'packages/service imports every app: an app or a package that imported it back could not run without the others.',
      severity: 'error',
      from: { pathNot: '^packages/(service|cli)/|^test/' },
      to: { path: '^packages/service/' },
    },
    {
      name: 'nothing-imports-the-command-line',
      comment: 'packages/cli is where processes begin: what imports it could not run without a command line.',
      severity: 'error',
      from: { pathNot: '^packages/cli/|^test/' },
      to: { path: '^packages/cli/' },
    },
    {
      name: 'query-api-reads-tables',
      comment: 'Reads need nothing but Postgres: with the log, the keys and every other process down, GET still answers.',
      severity: 'error',
      from: { path: '^query-api/', pathNot: TEST_CODE },
      to: {
        path: `^domain/|${packages(['event-store', 'codec', 'commands', 'log-views', 'directory', 'projections', 'bus', 'jobs', 'providers'])}`,
      },
    },
    {
      name: 'query-api-never-reaches-the-log',
      comment: 'Not by way of a package it uses, either: a process that loads query-api must not load the log, the codec or the deciders.',
      severity: 'error',
      from: { path: '^query-api/', pathNot: TEST_CODE },
      to: { path: packages(['event-store', 'codec', 'commands', 'log-views']), reachable: true },
    },
    {
      name: 'tests-are-not-imported',
      comment: 'What lies in test/ needs several parts at once; a part that needed it back could not be built alone.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'testing-stays-in-tests',
      comment: 'The product never loads test tools: no switch for tests in production code, no test server in the image.',
      severity: 'error',
      from: { pathNot: TEST_CODE },
      to: { path: '^packages/testing/' },
    },
    {
      name: 'no-development-dependencies-in-the-product',
      comment:
        'A production install leaves development dependencies out, and whatever imports one would not start. The maker of bundles does without.',
      severity: 'error',
      from: {
        path: '^(domain|packages|command-api|query-api|dashboard-api|projectors|consumers)/',
        pathNot: [TEST_CODE, '^packages/cli/bin/bundle\\.mjs$'].flat(),
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'] },
    },
    {
      name: 'declared-dependencies-only',
      comment: 'What is imported stands in the package.json beside it: otherwise it works only by the accident of where it was hoisted.',
      severity: 'error',
      from: { pathNot: TEST_CODE },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'resolvable',
      comment:
        'An import that leads nowhere fails when the process starts, not when it is tested. kubernetes-types has declarations only: the compiler resolves them.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^kubernetes-types/' },
    },
    {
      name: 'packages-by-their-face',
      comment: 'A package is imported by its name, through what its package.json exports, never by a path into its folder.',
      severity: 'error',
      from: { path: '^(packages/[^/]+|domain|command-api|query-api|projectors|consumers)/' },
      to: { path: '^(packages|domain|command-api|query-api|projectors|consumers)/', pathNot: '^$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'no-cycles',
      comment: 'Of two files that import each other, types included, neither can be read, moved or tested without the other.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    adapterOnly(
      '@eventstore/db-client',
      '^packages/event-store/',
      'The client of EventStoreDB has defects that only its adapter knows how to live with.',
    ),
    adapterOnly('kafkajs', '^packages/bus/', 'Whether events come from Kafka or from the log is the business of packages/bus alone.'),
    adapterOnly(
      'smpp',
      '^packages/providers/',
      'How a text message leaves is the business of its provider, which knows what the library does not do.',
    ),
    adapterOnly(
      'imapflow',
      '^packages/receipts/(src|test)/mailbox/',
      'How the mailbox of bounces is read is the business of packages/receipts/src/mailbox; everybody else gets what its mails report.',
    ),
    adapterOnly(
      '@opentelemetry/sdk-trace',
      '^packages/observability/(src/traces/(open-telemetry|reported-exporter)[.]ts$|test/)',
      'A process without traces loads nothing of OpenTelemetry (M69): the two files that import it are loaded where traces are on.',
    ),
    adapterOnly(
      'nodemailer',
      '^packages/providers/',
      'How an email leaves is the business of its provider; everybody else hands over a message.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'], extensions: ['.ts', '.js'] },
  },
}
