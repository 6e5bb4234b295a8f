import type { Log } from '@tidings/observability/log'
import { showProviderOutage } from '@tidings/providers'
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

/** Shows that a channel is usable. What it returns writes one log line when nothing can be sent, and one when that is over. */
export function createOutageReport(log: Log, channel: ChannelWithOutages): (reason: string | null) => void {
  showProviderOutage(channel, false)
  return (reason) => {
    showProviderOutage(channel, reason !== null)
    if (reason === null) log.info(SENTENCES[channel].over)
    else log.error({ reason }, SENTENCES[channel].begun)
  }
}
