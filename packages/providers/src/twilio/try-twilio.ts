import { parseTwilioUrl } from './account.ts'
import { redact } from './redact.ts'
import { createRequests } from './requests.ts'

/** `what`: names the provider in the sentence that is thrown. */
type Trying = Readonly<{ resource: 'Messages' | 'Calls'; what: string; callMs: number }>

/**
 * Asks for a message or a call without a recipient, which a server that works refuses: nothing is sent. Throws one sentence, without
 * credentials, where nothing could be.
 */
export async function tryTwilio(address: string, { resource, what, callMs }: Trying): Promise<string> {
  const account = parseTwilioUrl(address, what)
  const requests = createRequests({ resource, account, connections: 1, callMs })
  try {
    const outcome = await requests.post({})
    if (outcome.failure === 'refused' || outcome.failure === 'recipient') return `${account.origin} answers, and takes the account`
    const said =
      outcome.failure === null ? 'it takes a message without a recipient' : redact(outcome.response, account, { text: '', numbers: [] })
    throw new Error(`${account.origin} cannot be used: ${said}.`)
  } finally {
    await requests.close()
  }
}
