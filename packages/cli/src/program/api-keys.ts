import type { Command } from 'commander'
import { json, ofWorkspace } from './options.ts'

/** `api-key …`. */
export function addApiKeys(tidings: Command): void {
  const apiKey = tidings.command('api-key').description('keys of the public API')
  apiKey
    .command('create')
    .description('make a key and show it, once')
    .requiredOption(...ofWorkspace)
    .option('--name <name>', 'what the key is for', 'API key')
    .option('--publishable', 'a key for the source of a page: it opens sign-ups and registrations for push, nothing else', false)
    .option(...json)
    .action(async (options) => (await import('../commands/api-key.ts')).create(options))
  apiKey
    .command('list')
    .description('list the keys, newest first')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/api-key.ts')).list(options))
  apiKey
    .command('revoke <id>')
    .description('refuse a key from now on, everywhere')
    .option(...json)
    .action(async (id, options) => (await import('../commands/api-key.ts')).revoke(id, options))
  apiKey
    .command('history')
    .description('who created, revoked and deleted which key, when and from where, oldest first')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/api-key-history.ts')).history(options))
}
