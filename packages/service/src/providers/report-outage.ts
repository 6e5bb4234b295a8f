import type { Log } from '@tidings/observability/log'
import { providersNamed, showProviderOutage } from '@tidings/providers'
import type { ProviderChannel } from '@tidings/providers/registry'

/** Push is left out: there are many push services, and one that fails is not an outage. */
type ChannelWithOutages = Exclude<ProviderChannel, 'push'>

const SENTENCES: Readonly<Record<ChannelWithOutages, Readonly<{ begun: string; over: string }>>> = {
  email: {
    begun: 'the mail relay cannot be used: sending pauses, no message fails, and it goes on by itself',
    over: 'the mail relay can be used again: sending goes on',
  },
  sms: {
    begun: 'the SMS provider cannot be used: sending pauses, no message but a passcode fails, and it goes on by itself',
    over: 'the SMS provider can be used again: sending goes on',
  },
  voice: {
    begun: 'the provider of calls cannot be used: passcodes by voice are refused until it can',
    over: 'the provider of calls can be used again',
  },
}

/** What of a channel has others beside it (M68): nothing pauses while one of them can be used. */
const MOVES: Readonly<Record<ChannelWithOutages, Readonly<{ begun: string; over: string }>>> = {
  email: {
    begun: 'the mail relay cannot be used: what it was not given goes to the next provider that can, until it is back',
    over: 'the mail relay can be used again: mail goes to it again',
  },
  sms: {
    begun: 'the SMS provider cannot be used: what it was not given goes to the next one that can, until it is back',
    over: 'the SMS provider can be used again: text messages go to it again',
  },
  voice: {
    begun: 'the provider of calls cannot be used: passcodes by voice go to the next one that can, until it is back',
    over: 'the provider of calls can be used again: passcodes by voice go to it again',
  },
}

/**
 * Shows that the providers of a setting are usable. For each, by its label, what it returns writes one log line when it cannot be used, and one when that
 * is over. A setting that cannot be read has none: opening it says so.
 */
export function createOutageReports(
  log: Log,
  channel: ChannelWithOutages,
  setting: string,
): (label: string) => (reason: string | null) => void {
  const labels = labelsOf(channel, setting)
  const { begun, over } = labels.length > 1 ? MOVES[channel] : SENTENCES[channel]
  for (const provider of labels) showProviderOutage({ channel, provider }, false)
  return (provider) => (reason) => {
    showProviderOutage({ channel, provider }, reason !== null)
    if (reason === null) log.info({ provider }, over)
    else log.error({ provider, reason }, begun)
  }
}

function labelsOf(channel: ChannelWithOutages, setting: string): readonly string[] {
  try {
    return providersNamed(channel, setting).map(({ label }) => label)
  } catch {
    return []
  }
}
