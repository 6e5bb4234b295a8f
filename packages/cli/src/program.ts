import { Command } from 'commander'
import { addApiKeys } from './program/api-keys.ts'
import { addCampaigns } from './program/campaigns.ts'
import { addDeadLetters } from './program/dead-letters.ts'
import { addFlows } from './program/flows.ts'
import { addLog } from './program/log.ts'
import { json, threadCount } from './program/options.ts'
import { addPersons } from './program/persons.ts'
import { addAnalystProjections } from './program/projections.ts'
import { addProofs } from './program/proofs.ts'
import { addCredits, addSenders } from './program/records.ts'
import { addSenderAddresses, addSenderDomains } from './program/senders.ts'
import { addSwaps } from './program/swaps.ts'
import { addOperators, addUsers } from './program/users.ts'
import { addWebhooks } from './program/webhooks.ts'
import { addWhys } from './program/whys.ts'
import { addWorkspaces } from './program/workspaces.ts'

// A command's code is loaded when it is called, so that `start` loads none of the others.

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
    .option(
      '--threads <number>',
      'how many threads read and write at once; default: one a core, at most four, fewer where memory is short',
      threadCount,
    )
    .option(...json)
    .action(async (name, options) => (await import('./commands/projection.ts')).rebuild(name, options))
  addAnalystProjections(projection)
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
  addOperators(tidings)
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
