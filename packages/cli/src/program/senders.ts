import type { Command } from 'commander'
import { json, ofWorkspace } from './options.ts'

const ofDomain = ['--domain <domain>', 'the sender domain'] as const

/** `sender-address …`: the mailboxes that a workspace sends mail from. */
export function addSenderAddresses(tidings: Command): void {
  const address = tidings.command('sender-address').description('the mailboxes a workspace sends mail from')
  address
    .command('list')
    .description('all of them, whether they are confirmed, and why not')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/sender-address.ts')).list(options))
  address
    .command('resend')
    .description('send another mail that asks the mailbox to confirm; the link of the one before ends')
    .requiredOption(...ofWorkspace)
    .requiredOption('--email <address>', 'the sender address')
    .option(...json)
    .action(async (options) => (await import('../commands/sender-address.ts')).resend(options))
}

/** `sender-domain …`: the domains of those mailboxes. */
export function addSenderDomains(tidings: Command): void {
  const domain = tidings.command('sender-domain').description('the domains a workspace sends mail from')
  domain
    .command('list')
    .description('all of them: what proves them, blocklists, signing')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/sender-domain.ts')).list(options))
  domain
    .command('check')
    .description('ask DNS and the blocklists about one now')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofDomain)
    .option(...json)
    .action(async (options) => (await import('../commands/sender-domain.ts')).check(options))
  domain
    .command('dkim')
    .description('show the TXT record of its newest signing key, which is made where there is none; nothing is signed before --use')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofDomain)
    .option('--new', 'make another key', false)
    .option('--use <selector>', 'sign its mail with this key from now on; its record must be in DNS')
    .option('--off', 'sign no more', false)
    .option(...json)
    .action(async (options) => (await import('../commands/sender-domain-dkim.ts')).dkim(options))
}
