import type { Command } from 'commander'
import { json, ofWorkspace } from './options.ts'

/** `webhook …`. */
export function addWebhooks(tidings: Command): void {
  const ofEndpoint = ['--id <uuid>', 'the webhook endpoint'] as const
  const webhook = tidings.command('webhook').description('endpoints that receive events')
  webhook
    .command('list')
    .description('the endpoints, newest first, and how many deliveries wait for each')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/webhook.ts')).list(options))
  webhook
    .command('deliveries')
    .description('the last tries of one endpoint')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofEndpoint)
    .option(...json)
    .action(async (options) => (await import('../commands/webhook.ts')).deliveries(options))
  webhook
    .command('pause')
    .description('pause deliveries to it, and drop those that wait')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofEndpoint)
    .option(...json)
    .action(async (options) => (await import('../commands/webhook.ts')).pause(options))
  webhook
    .command('resume')
    .description('deliver to it again')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofEndpoint)
    .option(...json)
    .action(async (options) => (await import('../commands/webhook.ts')).resume(options))
}
