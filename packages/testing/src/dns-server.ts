import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

/** A DNS server whose answers a test changes while it runs. A name that it does not know does not exist; `null` is never answered. */
export type DnsServer = Readonly<{
  address: string
  answers: Map<string, readonly string[] | null>
  /** TXT records by name, in lower case. `null` is never answered. */
  texts: Map<string, readonly string[] | null>
  /** The names that were asked, in order. */
  asked: string[]
  /** Record types that are never answered. */
  silentTypes: Set<'A' | 'AAAA'>
  close: () => Promise<void>
}>

const A = 1
const TXT = 16
const AAAA = 28
const HEADER = 12

type Question = Readonly<{ name: string; type: number; end: number }>

const questionOf = (packet: Buffer): Question => {
  const labels: string[] = []
  let at = HEADER
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 }
}

/** The name is a pointer to the question, the class IN, and nothing may be kept. */
const recordOf = (type: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xc0, HEADER, 0, type, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 0xff])
  return Buffer.concat([head, data])
}

/** Strings of at most 255 bytes, each with its length in front. */
const textData = (text: string): Buffer =>
  Buffer.concat((text.match(/.{1,255}/gs) ?? ['']).map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)])))

const dataOf = (type: number, values: readonly string[]): readonly Buffer[] => {
  if (type === TXT) return values.map(textData)
  if (type !== A && type !== AAAA) return []
  const kind = type === AAAA ? 'ipv6' : 'ipv4'
  const fitting = values.filter((address) => ipaddr.parse(address).kind() === kind)
  return fitting.map((address) => Buffer.from(ipaddr.parse(address).toByteArray()))
}

const replyTo = (packet: Buffer, { type, end }: Question, values: readonly string[] | undefined): Buffer => {
  const records = dataOf(type, values ?? []).map((data) => recordOf(type, data))
  const header = Buffer.alloc(HEADER)
  packet.copy(header, 0, 0, 2)
  header.writeUInt16BE(values === undefined ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, packet.subarray(HEADER, end), ...records])
}

export async function startDnsServer(): Promise<DnsServer> {
  const answers = new Map<string, readonly string[] | null>()
  const texts: DnsServer['texts'] = new Map()
  const asked: string[] = []
  const silentTypes: DnsServer['silentTypes'] = new Set()
  const socket = createSocket('udp4', (packet, from) => {
    const question = questionOf(packet)
    asked.push(question.name)
    const values = (question.type === TXT ? texts : answers).get(question.name)
    const isSilent = values === null || silentTypes.has(question.type === AAAA ? 'AAAA' : 'A')
    if (!isSilent) socket.send(replyTo(packet, question, values), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    answers,
    texts,
    asked,
    silentTypes,
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
