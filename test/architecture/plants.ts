/** A file that breaks a rule of `.dependency-cruiser.mjs`: it imports `imports`, relative to the root of the tree or a package. */
export type Plant = Readonly<{ rule: string; file: string; imports: string }>

const layer = (rule: string, from: string, to: string): Plant => ({
  rule: `${rule}-imports-downward`,
  file: `packages/${from}/src/planted-${to}.ts`,
  imports: `packages/${to}/src/index.ts`,
})
const app = (from: string, to: string): Plant => ({
  rule: `${from}-imports-no-app`,
  file: `${from}/src/planted-app.ts`,
  imports: `${to}/src/index.ts`,
})

/** At least one breach of every rule. */
export const plants: readonly Plant[] = [
  { rule: 'domain-imports-nothing', file: 'domain/src/planted-clock.ts', imports: 'node:timers' },
  { rule: 'domain-imports-nothing', file: 'domain/src/planted-library.ts', imports: 'kysely' },
  { rule: 'domain-imports-nothing', file: 'domain/src/planted-package.ts', imports: 'packages/codec/src/index.ts' },
  { rule: 'clients-import-nothing-of-the-tree', file: 'clients/typescript/src/planted-domain.ts', imports: 'domain/src/index.ts' },
  { rule: 'clients-import-nothing-of-the-tree', file: 'clients/typescript/src/planted-core.ts', imports: 'node:timers' },
  { rule: 'dashboard-is-a-client', file: 'dashboard/src/ui/planted-reader.ts', imports: 'packages/http/src/index.ts' },
  { rule: 'dashboard-is-a-client', file: 'dashboard/src/api/planted-app.ts', imports: 'command-api/src/index.ts' },
  { rule: 'dashboard-takes-shapes-as-types', file: 'dashboard/src/api/planted-schema.ts', imports: 'packages/contracts/src/index.ts' },
  { rule: 'screens-stand-alone', file: 'dashboard/src/screens/list/planted.ts', imports: 'dashboard/src/screens/lists/lists.ts' },
  { rule: 'parts-know-no-screen', file: 'dashboard/src/ui/planted.ts', imports: 'dashboard/src/screens/lists/lists.ts' },
  { rule: 'pages-are-not-imported', file: 'command-api/src/planted-page.ts', imports: 'dashboard/src/paths.ts' },
  layer('async', 'async', 'config'),
  layer('mail-content', 'mail-content', 'contracts'),
  layer('config', 'config', 'postgres'),
  layer('observability', 'observability', 'postgres'),
  layer('contracts', 'contracts', 'http'),
  layer('addresses', 'addresses', 'contracts'),
  layer('outbound-http', 'outbound-http', 'contracts'),
  layer('jobs', 'jobs', 'event-store'),
  layer('postgres', 'postgres', 'event-store'),
  layer('event-store', 'event-store', 'codec'),
  layer('codec', 'codec', 'projections'),
  layer('read-models', 'read-models', 'projections'),
  layer('projections', 'projections', 'commands'),
  layer('commands', 'commands', 'http'),
  layer('log-views', 'log-views', 'commands'),
  layer('bus', 'bus', 'commands'),
  layer('providers', 'providers', 'config'),
  layer('http', 'http', 'directory'),
  layer('directory', 'directory', 'provisioning'),
  layer('unique-contacts', 'unique-contacts', 'directory'),
  layer('receipts', 'receipts', 'unique-contacts'),
  layer('wallet', 'wallet', 'receipts'),
  layer('analyst', 'analyst', 'provisioning'),
  layer('passcodes', 'passcodes', 'provisioning'),
  layer('sign-in', 'sign-in', 'provisioning'),
  layer('evidence', 'evidence', 'passcodes'),
  layer('provisioning', 'provisioning', 'backup-and-export'),
  layer('backup-and-export', 'backup-and-export', 'service'),
  layer('people', 'people', 'service'),
  layer('administration', 'administration', 'service'),
  layer('service', 'service', 'cli'),
  app('command-api', 'query-api'),
  app('query-api', 'command-api'),
  app('dashboard-api', 'command-api'),
  app('projectors', 'consumers'),
  app('consumers', 'command-api'),
  { rule: 'only-the-service-wires-apps', file: 'packages/http/src/planted.ts', imports: 'query-api/src/index.ts' },
  { rule: 'only-the-command-line-imports-the-service', file: 'consumers/src/planted-service.ts', imports: 'packages/service/src/index.ts' },
  { rule: 'nothing-imports-the-command-line', file: 'consumers/src/planted.ts', imports: 'packages/cli/src/program.ts' },
  { rule: 'query-api-reads-tables', file: 'query-api/src/planted-log.ts', imports: 'packages/event-store/src/index.ts' },
  { rule: 'query-api-reads-tables', file: 'query-api/src/planted-decider.ts', imports: 'domain/src/index.ts' },
  { rule: 'query-api-never-reaches-the-log', file: 'query-api/src/planted-detour.ts', imports: 'packages/jobs/src/detour.ts' },
  { rule: 'tests-are-not-imported', file: 'projectors/src/planted.ts', imports: 'test/e2e/helper.ts' },
  { rule: 'testing-stays-in-tests', file: 'command-api/src/planted-testing.ts', imports: 'packages/testing/src/index.ts' },
  { rule: 'no-development-dependencies-in-the-product', file: 'command-api/src/planted-dev.ts', imports: 'fast-check' },
  { rule: 'declared-dependencies-only', file: 'command-api/src/planted-undeclared.ts', imports: 'undeclared' },
  { rule: 'resolvable', file: 'command-api/src/planted-nowhere.ts', imports: 'nowhere' },
  { rule: 'packages-by-their-face', file: 'command-api/src/planted-inside.ts', imports: 'packages/http/src/inside.ts' },
  { rule: 'no-cycles', file: 'packages/http/src/planted-cycle-back.ts', imports: 'packages/http/src/planted-cycle.ts' },
  { rule: 'db-client-stays-in-its-adapter', file: 'projectors/src/planted-client.ts', imports: '@eventstore/db-client' },
  { rule: 'kafkajs-stays-in-its-adapter', file: 'consumers/src/planted-kafka.ts', imports: 'kafkajs' },
  { rule: 'imapflow-stays-in-its-adapter', file: 'consumers/src/planted-mailbox.ts', imports: 'imapflow' },
  { rule: 'nodemailer-stays-in-its-adapter', file: 'consumers/src/planted-mail.ts', imports: 'nodemailer' },
  { rule: 'sdk-trace-stays-in-its-adapter', file: 'packages/observability/src/planted-traces.ts', imports: '@opentelemetry/sdk-trace' },
  { rule: 'smpp-stays-in-its-adapter', file: 'consumers/src/planted-sms.ts', imports: 'smpp' },
]

/** Files in the same tree that break nothing. */
export const sound: readonly Plant[] = [
  { rule: 'none', file: 'packages/bus/src/sound-kafka.ts', imports: 'kafkajs' },
  { rule: 'none', file: 'packages/http/src/sound.test.ts', imports: 'fast-check' },
  { rule: 'none', file: 'domain/src/sound.ts', imports: 'domain/src/index.ts' },
]

/** What the breaches lead over. */
export const scenery: readonly Plant[] = [
  { rule: 'none', file: 'packages/jobs/src/detour.ts', imports: 'packages/commands/src/index.ts' },
  { rule: 'none', file: 'packages/http/src/planted-cycle.ts', imports: 'packages/http/src/planted-cycle-back.ts' },
]
