import { type Command, Option } from 'commander'
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
    .command('import <file>')
    .description(
      'create and change contacts by a CSV or NDJSON file; sends nothing; killed, it goes on when it is called again with the same file',
    )
    .requiredOption(...ofWorkspace)
    .option('--map <file>', 'JSON that says what columns with other names are: { "their column": "our field" }, null to leave one out')
    .option('--encoding <name>', 'of a file that is neither UTF-8 nor UTF-16 with its mark, for example windows-1252')
    .option('--list <name>', 'a static list that everybody of the file joins')
    .option('--dry-run', 'check every line and write nothing', false)
    .option(...json)
    .action(async (file, options) => (await import('../commands/contact-import.ts')).importFile(file, options))
  contact
    .command('list')
    .description('everybody of a workspace, in a file that `contact import` takes')
    .requiredOption(...ofWorkspace)
    .requiredOption('--out <file>', 'a new file; .csv or .ndjson says its format')
    .addOption(new Option('--format <format>', 'the format of a file with another ending').choices(['csv', 'ndjson']))
    .option(...json)
    .action(async (options) => (await import('../commands/contact-list.ts')).list(options))
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
