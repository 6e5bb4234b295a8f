import { type Command, InvalidArgumentError } from 'commander'
import { json, ofWorkspace } from './options.ts'
import { moment } from './records.ts'

const ofCampaign = ['--id <uuid>', 'the campaign'] as const

/** Counted from 1, as people do; from 0 in what it gives. */
const variantNumber = (text: string): number => {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be the number of a variant, 1 or more.')
  return Number(text) - 1
}

const moves = [
  ['unschedule', 'make a scheduled campaign a draft again'],
  ['start', 'send it now'],
  ['pause', 'stop sending for now'],
  ['cancel', 'send it no further, for good'],
] as const

/** `campaign …`: the moves of a campaign, and what became of it. */
export function addCampaigns(tidings: Command): void {
  const campaign = tidings.command('campaign').description('the moves of a campaign, and what became of it')
  campaign
    .command('schedule')
    .description('say when a draft is to be sent')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofCampaign)
    .requiredOption('--at <time>', 'when, with its zone: 2026-11-21T09:00:00Z', moment)
    .option(...json)
    .action(async (options) => (await import('../commands/campaign.ts')).move('schedule', options))
  for (const [name, description] of moves)
    campaign
      .command(name)
      .description(description)
      .requiredOption(...ofWorkspace)
      .requiredOption(...ofCampaign)
      .option(...json)
      .action(async (options) => (await import('../commands/campaign.ts')).move(name, options))
  campaign
    .command('resume')
    .description('go on with whom it had not begun')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofCampaign)
    .option('--newest-texts', 'with the texts that its templates have now, instead of those it was started with', false)
    .option(...json)
    .action(async (options) => (await import('../commands/campaign.ts')).move('resume', options))
  campaign
    .command('show')
    .description('how it stands: what was sent, delivered, opened, clicked, what was not and why')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofCampaign)
    .option('--watch', 'wait until it is over, with a progress bar on a terminal', false)
    .option(...json)
    .action(async (options) => (await import('../commands/campaign-show.ts')).show(options))
  addCopies(campaign)
}

const ofVariant = [
  '--variant <number>',
  'which of its variants, counted from 1; by default the one that the contact gets',
  variantNumber,
] as const

/** `campaign …` that make one copy. */
const addCopies = (campaign: Command): void => {
  campaign
    .command('preview')
    .description('what a contact would get, and what would keep it back; sends nothing')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofCampaign)
    .requiredOption('--contact <id>', 'the contact: its UUID, email or phone')
    .option(...ofVariant)
    .option(...json)
    .action(async (options) => (await import('../commands/campaign-preview.ts')).preview(options))
  campaign
    .command('test')
    .description('send one copy that counts nothing, also where consent or quiet hours would keep it back')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofCampaign)
    .requiredOption('--to <address>', 'an email address, or a phone number for a campaign of text messages')
    .option('--contact <id>', 'the contact whose values it has: its UUID, email or phone; by default those of who has the address')
    .option(...ofVariant)
    .option(...json)
    .action(async (options) => (await import('../commands/campaign-test.ts')).test(options))
}
