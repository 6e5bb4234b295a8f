import { asMessageId, asWorkspaceId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { type Jsmpp, startJsmpp } from '@tidings/testing/jsmpp'
import { afterAll, describe, expect, test } from 'vitest'
import type { SendOptions } from '../../src/port.ts'
import { createSmppProvider } from '../../src/smpp/smpp-provider.ts'
import type { PartReceipt } from '../../src/sms/port.ts'

const jsmpp: Jsmpp | null = await startJsmpp()
afterAll(() => jsmpp?.stop())

const message = { workspaceId: asWorkspaceId('workspace'), to: '+491701234567', from: 'Acme' }
const options: SendOptions = { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' }

/** An SMSC that shares no code with ours. Its ids are hexadecimal in the answer and decimal in the receipt. */
describe.runIf(jsmpp !== null)('the SMSC simulator of jSMPP', () => {
  test('takes messages in every alphabet and length, and its receipts find them', async () => {
    const receipts: PartReceipt[] = []
    const onReceipt = async (receipt: PartReceipt) => {
      receipts.push(receipt)
      return 'taken' as const
    }
    const provider = createSmppProvider({ callMs: 60_000, url: jsmpp!.url, onReceipt })
    const bodies = ['Hello', 'שלום 😀', 'a'.repeat(400), '😀'.repeat(100), ...Array.from({ length: 40 }, (_, n) => `number ${n}`)]
    const sent = await Promise.all(bodies.map((body, n) => provider.send({ ...message, messageId: asMessageId(`m${n}`), body }, options)))
    expect(sent[2]?.providerMessageId.split(',')).toHaveLength(3)
    expect(sent[3]?.providerMessageId.split(',')).toHaveLength(4)
    const partIds = sent.flatMap(({ providerMessageId }) => providerMessageId.split(','))
    await until(() => expect(receipts).toHaveLength(partIds.length))
    const delivered = receipts.map(({ partId, status }) => [BigInt(partId).toString(16), status])
    expect(delivered.toSorted()).toEqual(partIds.map((id) => [id, 'delivered']).toSorted())
    await provider.close()
  })

  test('refuses a wrong password, which is an outage', async () => {
    const provider = createSmppProvider({ callMs: 60_000, url: jsmpp!.url.replace('s3cret', 'wrong') })
    const sending = provider.send({ ...message, messageId: asMessageId('m'), body: 'Hello' }, options)
    await expect(sending).rejects.toMatchObject({
      failure: 'outage',
      message: expect.stringContaining('the password is wrong, ESME_RINVPASWD'),
    })
    await provider.close()
  })
})
