import { startEventStoreProcess } from '@tidings/testing/eventstoredb'
import type { Group } from '../lib/bench.ts'
import { type Sender, sendAlternately, sendingRows, startSender } from './compare-sendings.ts'

/**
 * `send` with the log in EventStoreDB, beside the same on the embedded log. The fixture of the tests stands in for the server, in a process of its
 * own whose time does not count. At least 0.6 of embedded: as much CPU of Node and Postgres a message as 1 / 0.6 of it.
 */
export const sendEventStoreDb: Group = {
  name: 'send-eventstoredb',
  run: async (bench) => {
    const server = await startEventStoreProcess()
    bench.after(server.stop)
    const senders: [Sender, Sender] = [
      await startSender(bench, 'EventStoreDB', { TIDINGS_EVENT_STORE: server.connectionString }),
      await startSender(bench, 'embedded', {}),
    ]
    await sendAlternately(bench, senders)
    return sendingRows('accepted, sent over SMTP and `sent` visible, log in EventStoreDB', senders, { atMost: 1.67 })
  },
}
