import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { until } from '@tidings/testing'
import { describe, expect, type TestContext, test } from 'vitest'
import type { DeliveryError } from '../../src/port.ts'
import { FrameReader } from '../../src/smpp/connection.ts'
import { decodePdu, encodePdu, type IncomingPdu, MAX_PDU, statusCode } from '../../src/smpp/pdu.ts'
import { createSmppProvider, type SmppSettings } from '../../src/smpp/smpp-provider.ts'
import type { SmsProvider } from '../../src/sms/port.ts'
import { message } from './open-provider.ts'

/** An SMSC that accepts the bind, and then does what a test says with the socket. Keeps what it is sent, one PDU a time. */
async function hostile({ onTestFinished }: TestContext, attack: (socket: Socket) => void, settings: Partial<SmppSettings> = {}) {
  const heard: IncomingPdu[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (bind) => {
      socket.write(encodePdu('bind_transceiver_resp', decodePdu(bind).sequence, { system_id: 'evil' }))
      const frames = new FrameReader()
      socket.on('data', (bytes) => {
        for (const frame of frames.read(bytes)) heard.push(decodePdu(frame))
      })
      attack(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const provider = createSmppProvider({
    url: `smpp://shop:x@127.0.0.1:${(server.address() as AddressInfo).port}`,
    callMs: 10_000,
    ...settings,
  })
  onTestFinished(async () => {
    await provider.close()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { provider, heard, connections: () => connections }
}

const header = (length: number): Buffer => {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32BE(length)
  bytes.writeUInt32BE(0x15, 4)
  return bytes
}
const statusesOf = (heard: readonly IncomingPdu[], command: string) =>
  heard.filter((pdu) => pdu.command === command).map(({ status }) => status)

// Each waits for the end of a call, for which no peer here lets the provider go: at once.
describe.concurrent('a peer that does not speak SMPP loses its connection', () => {
  test.for([
    ['a length of 4 GB', header(0xffffffff)],
    ['a length that is one too long', header(MAX_PDU + 1)],
    ['a length of 0', header(0)],
    ['a length of 3', header(3)],
    ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ] as const)('%s', async ([, bytes], context) => {
    const ended = Promise.withResolvers<void>()
    const { connections } = await hostile(context, (socket) => {
      socket.on('close', ended.resolve)
      socket.write(bytes)
    })
    await ended.promise
    await until(() => expect(connections()).toBeGreaterThan(1))
  })

  test('each time, which becomes an outage and no loop of connections', async (context) => {
    const outages: (string | null)[] = []
    // It is connected to once more later: what counts is how often it was until the outage.
    let connected = 0
    let untilThen = 0
    const attack = (socket: Socket): void => {
      connected++
      socket.write(header(0))
    }
    const onOutage = (why: string | null): void => {
      untilThen ||= connected
      outages.push(why)
    }
    await hostile(context, attack, { onOutage })
    await until(() => expect(outages[0]).toMatch(/does not speak SMPP: a PDU of 0 bytes is no SMPP/))
    expect(untilThen).toBe(2)
  })
})

test.concurrent('a malformed PDU, an unknown command and an answer to nothing are survived', async (context) => {
  const truncatedTlv = Buffer.concat([encodePdu('deliver_sm', 7, { short_message: Buffer.alloc(0) }), Buffer.from([0x04, 0x27, 0, 1])])
  truncatedTlv.writeUInt32BE(truncatedTlv.length)
  const unknown = header(16)
  unknown.writeUInt32BE(0x77, 4)
  const { heard } = await hostile(context, (socket) => {
    socket.write(
      Buffer.concat([truncatedTlv, unknown, encodePdu('submit_sm_resp', 999, { message_id: 'x' }), encodePdu('enquire_link', 8)]),
    )
  })
  await until(() => expect(statusesOf(heard, 'enquire_link_resp')).toEqual([0]))
  expect(statusesOf(heard, 'generic_nack')).toEqual([statusCode('ESME_RINVCMDLEN'), statusCode('ESME_RINVCMDID')])
})

test.concurrent('a flood of deliveries is bounded: what exceeds it is to be repeated', async (context) => {
  const never = Promise.withResolvers<void>()
  let running = 0
  const { heard, provider } = await hostile(
    context,
    (socket) => {
      const one = encodePdu('deliver_sm', 1, { source_addr: '1', destination_addr: '2', data_coding: 0, short_message: Buffer.from('hi') })
      socket.write(Buffer.concat(Array.from({ length: 5_000 }, () => one)))
    },
    {
      onInbound: () => {
        running++
        return never.promise
      },
    },
  )
  await until(() => expect(statusesOf(heard, 'deliver_sm_resp')).toHaveLength(4_900))
  expect(new Set(statusesOf(heard, 'deliver_sm_resp'))).toEqual(new Set([statusCode('ESME_RX_T_APPN')]))
  expect(running).toBe(100)
  expect(provider.outage()).toBeNull()
  never.resolve()
  await until(() => expect(statusesOf(heard, 'deliver_sm_resp').filter((status) => status === 0)).toHaveLength(100))
})

test.concurrent('parts of messages that never become whole are dropped beyond a bound, with a warning', async (context) => {
  const warnings: string[] = []
  const opened = Promise.withResolvers<Socket>()
  const { heard } = await hostile(context, opened.resolve, { onWarning: (sentence) => void warnings.push(sentence) })
  const socket = await opened.promise
  const part = (reference: number) =>
    encodePdu('deliver_sm', reference, {
      ...{ source_addr: '1', destination_addr: '2', data_coding: 0, esm_class: 0x40 },
      short_message: Buffer.concat([Buffer.from([6, 8, 4, reference >> 8, reference & 0xff, 2, 1]), Buffer.alloc(150, 0x61)]),
    })
  // No more at once than are taken, whatever else the machine does.
  for (let sent = 0; sent < 1_500; sent += 100) {
    socket.write(Buffer.concat(Array.from({ length: 100 }, (_, n) => part(sent + n))))
    await until(() => expect(statusesOf(heard, 'deliver_sm_resp')).toHaveLength(sent + 100), 5)
  }
  expect(new Set(statusesOf(heard, 'deliver_sm_resp'))).toEqual(new Set([0]))
  expect(warnings).toHaveLength(500)
})

test.concurrent('a peer that asks and never reads the answers loses its connection', async (context) => {
  const ended = Promise.withResolvers<void>()
  let asked = 0
  const enquiries = Buffer.concat(Array.from({ length: 4_096 }, () => encodePdu('enquire_link', 1)))
  await hostile(context, (socket) => {
    socket.removeAllListeners('data').pause()
    socket.on('close', ended.resolve)
    const ask = () => {
      if (socket.destroyed) return
      asked += enquiries.length
      socket.write(enquiries, () => setImmediate(ask))
    }
    ask()
  })
  await ended.promise
  // The kernel's buffers of both sides, and the 256 KB that may be unsent.
  expect(asked).toBeLessThan(64 * 1_048_576)
})

describe.concurrent('an answer of the right number and the wrong kind is no acceptance', () => {
  const submitted = (provider: SmsProvider) =>
    provider
      .send(message, { signal: new AbortController().signal, fence: () => undefined, priority: 'transactional' })
      .catch((error: DeliveryError) => ({ failure: error.failure }))

  test.for(['enquire_link_resp', 'bind_transceiver_resp', 'generic_nack', 'deliver_sm_resp'])('%s', async (command, context) => {
    const { provider } = await hostile(context, (socket) => {
      socket.on('data', (bytes) => {
        const pdu = decodePdu(bytes)
        if (pdu.command === 'submit_sm') socket.write(encodePdu(command, pdu.sequence))
      })
    })
    expect(await submitted(provider)).toEqual({ failure: 'unconfirmed' })
  })
})
