import { Command } from 'commander'
import { addCampaigns } from './program/campaigns.ts'
import { addFlows } from './program/flows.ts'
import { addLog } from './program/log.ts'
import { json, ofWorkspace } from './program/options.ts'
import { addPersons } from './program/persons.ts'
import { addAnalystProjections } from './program/projections.ts'
import { addProofs } from './program/proofs.ts'
import { addCredits, addSenders } from './program/records.ts'
import { addSenderAddresses, addSenderDomains } from './program/senders.ts'
import { addSwaps } from './program/swaps.ts'
import { addUsers } from './program/users.ts'
import { addWhys } from './program/whys.ts'

// A command's code is loaded when it is called, so that `start` loads none of the others.

const addApiKeys = (tidings: Command): void => {
  const apiKey = tidings.command('api-key').description('keys of the public API')
  apiKey
    .command('create')
    .description('make a key and show it, once')
    .requiredOption(...ofWorkspace)
    .option('--name <name>', 'what the key is for', 'API key')
    .option(...json)
    .action(async (options) => (await import('./commands/api-key.ts')).create(options))
  apiKey
    .command('list')
    .description('list the keys, newest first')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('./commands/api-key.ts')).list(options))
  apiKey
    .command('revoke <id>')
    .description('refuse a key from now on, everywhere')
    .option(...json)
    .action(async (id, options) => (await import('./commands/api-key.ts')).revoke(id, options))
  apiKey
    .command('history')
    .description('who created, revoked and deleted which key, when and from where, oldest first')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('./commands/api-key-history.ts')).history(options))
}

const addWorkspaces = (tidings: Command): void => {
  const workspace = tidings.command('workspace').description('a workspace and its status')
  workspace
    .command('show <slug>')
    .description('its settings, its status and its embedded forms')
    .option(...json)
    .action(async (slug, options) => (await import('./commands/workspace.ts')).show(slug, options))
  workspace
    .command('suspend <slug>')
    .description('refuse its requests and hold its mail back, from now on, everywhere')
    .option(...json)
    .action(async (slug, options) => (await import('./commands/workspace.ts')).suspend(slug, options))
  workspace
    .command('resume <slug>')
    .description('let it work again')
    .option(...json)
    .action(async (slug, options) => (await import('./commands/workspace.ts')).resume(slug, options))
  workspace
    .command('close <slug>')
    .description('suspend it for ever; what is queued fails; asks first')
    .option('--yes', 'do not ask; needed where no terminal is', false)
    .option(...json)
    .action(async (slug, options) => (await import('./commands/workspace.ts')).close(slug, options))
}

const addWebhooks = (tidings: Command): void => {
  const ofEndpoint = ['--id <uuid>', 'the webhook endpoint'] as const
  const webhook = tidings.command('webhook').description('endpoints that receive events')
  webhook
    .command('list')
    .description('the endpoints, newest first, and how many deliveries wait for each')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('./commands/webhook.ts')).list(options))
  webhook
    .command('deliveries')
    .description('the last tries of one endpoint')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofEndpoint)
    .option(...json)
    .action(async (options) => (await import('./commands/webhook.ts')).deliveries(options))
  webhook
    .command('pause')
    .description('pause deliveries to it, and drop those that wait')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofEndpoint)
    .option(...json)
    .action(async (options) => (await import('./commands/webhook.ts')).pause(options))
  webhook
    .command('resume')
    .description('deliver to it again')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofEndpoint)
    .option(...json)
    .action(async (options) => (await import('./commands/webhook.ts')).resume(options))
}

const addProjections = (tidings: Command): void => {
  const projection = tidings.command('projection').description('the read models')
  projection
    .command('list')
    .description('position and lag of each')
    .option(...json)
    .action(async (options) => (await import('./commands/projection.ts')).list(options))
  projection
    .command('rebuild <name>')
    .description('build one anew from the log, beside the live one; returns when it serves')
    .option('--beside', 'leave it beside the live one, for `projection diff` and `projection swap`', false)
    .option(...json)
    .action(async (name, options) => (await import('./commands/projection.ts')).rebuild(name, options))
  addAnalystProjections(projection)
}

const addDeadLetters = (tidings: Command): void => {
  const dlq = tidings.command('dlq').description('work that failed too often')
  dlq
    .command('list')
    .description('open dead letters, newest first')
    .option(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('./commands/dlq.ts')).list(options))
  dlq
    .command('show <id>')
    .option(...ofWorkspace)
    .option(...json)
    .action(async (id, options) => (await import('./commands/dlq.ts')).show(id, options))
  dlq
    .command('redrive <id>')
    .description('try it again')
    .option(...ofWorkspace)
    .option(...json)
    .action(async (id, options) => (await import('./commands/dlq.ts')).redrive(id, options))
  dlq
    .command('discard <id>')
    .description('give it up for good')
    .option(...ofWorkspace)
    .option('--reason <text>', 'why, for the record', 'discarded by the operator')
    .option(...json)
    .action(async (id, options) => (await import('./commands/dlq.ts')).discard(id, options))
}

const addMasterKey = (tidings: Command): void => {
  const masterKey = tidings.command('master-key').description('the key that wraps all others')
  masterKey
    .command('rotate')
    .description('wrap every key under a new one, while the service runs; killed, it goes on when it is called again')
    .option(...json)
    .action(async (options) => (await import('./commands/master-key.ts')).rotate(options))
}

/** The whole command line. */
export function program(): Command {
  const tidings = new Command('tidings').description('Event-sourced customer messaging').exitOverride()
  tidings
    .command('start [role...]')
    .description('run the service: command-api, query-api, projectors, consumers, relay; none means all of them in this process')
    .action(async (roles: string[]) => (await import('./commands/start.ts')).start(roles))
  tidings
    .command('apply')
    .description('make a workspace what a file says')
    .requiredOption('-f, --file <file>', 'the workspace file, or - for standard input')
    .option(...json)
    .action(async (options) => (await import('./commands/apply.ts')).apply(options))
  addApiKeys(tidings)
  addUsers(tidings)
  addWorkspaces(tidings)
  addCredits(tidings)
  addSenders(tidings)
  addSenderDomains(tidings)
  addSenderAddresses(tidings)
  addCampaigns(tidings)
  addFlows(tidings)
  addPersons(tidings)
  addWebhooks(tidings)
  addProofs(tidings)
  addProjections(tidings)
  addSwaps(tidings)
  addLog(tidings)
  addDeadLetters(tidings)
  addWhys(tidings)
  tidings
    .command('migrate')
    .description('bring the database schema up to date')
    .option(...json)
    .action(async (options) => (await import('./commands/migrate.ts')).migrate(options))
  addMasterKey(tidings)
  tidings
    .command('backup <dir>')
    .description('write the log, the keys and the configuration, as of one moment, into a new folder')
    .option(...json)
    .action(async (dir, options) => (await import('./commands/backup.ts')).backup(dir, options))
  tidings
    .command('restore <dir>')
    .description('put a backup into an installation that holds nothing')
    .option(...json)
    .action(async (dir, options) => (await import('./commands/restore.ts')).restore(dir, options))
  tidings
    .command('doctor')
    .description('check configuration, stores and providers, and say how to correct what is wrong')
    .option(...json)
    .action(async (options) => (await import('./commands/doctor.ts')).doctor(options))
  return tidings
}
