import type { Command } from 'commander'
import { json, ofWorkspace } from './options.ts'

const ofContact = ['--id <id>', 'the contact: its UUID, email or phone'] as const

/** `contact …`: finding people, and what the law gives them. */
export function addPersons(tidings: Command): void {
  const contact = tidings.command('contact').description('people: finding, importing, listing and forgetting them')
  contact
    .command('find <value>')
    .description('the profile of a contact, found by its UUID, email or phone')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (value, options) => (await import('../commands/contact-find.ts')).find(value, options))
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
