import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { checkDns } from '../../src/doctor/outside.ts'

const open = async (): Promise<Socket> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}
const addressOf = (socket: Socket): string => `127.0.0.1:${socket.address().port}`

/** The flags of an answer that says: no such name. */
const NO_SUCH_NAME = 0x8183

let server: Socket
beforeAll(async () => {
  server = await open()
  server.on('message', (question, from) => {
    const answer = Buffer.from(question)
    answer.writeUInt16BE(NO_SUCH_NAME, 2)
    server.send(answer, from.port, from.address)
  })
})
afterAll(() => void server.close())

/** Longer than this process, which asks and answers, stands still. */
const DEADLINE_MS = 60_000

it('is content with servers that answer, and with none at all', async () => {
  expect(await checkDns({ dns: { servers: [addressOf(server)] } }, DEADLINE_MS)).toBe(`${addressOf(server)} answers`)
  expect(await checkDns({ dns: { servers: [] } })).toBe('webhook hosts are looked up as this machine does')
})

it('names the servers that do not answer', async () => {
  // A port that is let go may be taken by a server of another test; one that is connected takes nothing from others, which are refused at once.
  const refusing = await open()
  onTestFinished(() => void refusing.close())
  refusing.connect(server.address().port, '127.0.0.1')
  await once(refusing, 'connect')
  await expect(checkDns({ dns: { servers: [addressOf(server), addressOf(refusing)] } }, DEADLINE_MS)).rejects.toThrow(
    `no answer from ${addressOf(refusing)}.`,
  )
})

it('waits for no server that is silent', async () => {
  const silent = await open()
  onTestFinished(() => void silent.close())
  await expect(checkDns({ dns: { servers: [addressOf(silent)] } })).rejects.toThrow(`no answer from ${addressOf(silent)}.`)
})
