import { USER_ROLES } from '@tidings/domain'
import { type Command, Option } from 'commander'
import { json, ofWorkspace } from './options.ts'

const ofUser = ['--email <address>', 'the address that the user signs in with'] as const
const passwordFile = [
  '--password-file <file>',
  'its first line is the password; - is standard input; without it one is made and shown, once',
] as const

/** `user …`: who may sign in to a workspace. */
export function addUsers(tidings: Command): void {
  const user = tidings.command('user').description('people who manage a workspace by signing in')
  user
    .command('add')
    .description('let somebody sign in')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofUser)
    .addOption(new Option('--role <role>', 'owners and admins manage API keys').choices(USER_ROLES).makeOptionMandatory())
    .option(...passwordFile)
    .option(...json)
    .action(async (options) => (await import('../commands/user.ts')).add(options))
  user
    .command('list')
    .description('who may sign in, by address')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/user.ts')).list(options))
  user
    .command('password')
    .description('set another password; all sessions of the user end')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofUser)
    .option(...passwordFile)
    .option(...json)
    .action(async (options) => (await import('../commands/user.ts')).password(options))
  user
    .command('remove')
    .description('let somebody sign in no more; all sessions of the user end')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofUser)
    .option(...json)
    .action(async (options) => (await import('../commands/user.ts')).remove(options))
  user
    .command('link')
    .description('print an address that signs the user in once, within an hour')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofUser)
    .option(...json)
    .action(async (options) => (await import('../commands/user.ts')).link(options))
}

/** `operator …`: who may sign in to the installation. */
export function addOperators(tidings: Command): void {
  tidings
    .command('operator')
    .description('people who run the installation, by signing in')
    .command('add')
    .description('let somebody sign in as an operator, by a link; again: another link')
    .requiredOption(...ofUser)
    .option(...json)
    .action(async (options) => (await import('../commands/user.ts')).addOperator(options))
}
