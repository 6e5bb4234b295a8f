import type { Command } from 'commander'
import { json, ofWorkspace } from './options.ts'

const ofContact = ['--id <uuid>', 'the contact'] as const

/** `contact …`: what the law gives a person. */
export function addPersons(tidings: Command): void {
  const contact = tidings.command('contact').description('what is known of a person, and forgetting it')
  contact
    .command('export')
    .description('everything about a person, as contact.json and contact.html')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofContact)
    .requiredOption('--out <dir>', 'a folder that is new or empty')
    .option(...json)
    .action(async (options) => (await import('../commands/contact-export.ts')).exportContact(options))
  contact
    .command('erase')
    .description('forget a person for ever: the contact is unknown from then on, its addresses are free')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofContact)
    .option(...json)
    .action(async (options) => (await import('../commands/contact-erase.ts')).erase(options))
}
