import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BusMessage, bool, encodeMessage, firstMessage, type Reply, readerOf, text, texts, uint32 } from './d-bus.ts'
import { eventually } from './eventually.ts'

/** A notification as the desktop shows it. `text` begins with the origin of the page. */
type ShownNotification = Readonly<{ id: number; title: string; text: string; click: () => void }>

/**
 * The desktop of a browser under Linux: a D-Bus of its own, on which nothing answers but the notifications
 * (Desktop Notifications Specification 1.2). A click takes the way that it takes on a real desktop.
 */
export type Desktop = Readonly<{
  /** The address for `DBUS_SESSION_BUS_ADDRESS`. */
  address: string
  /** What is shown now, oldest first. */
  shown: () => readonly ShownNotification[]
  /** Waits until a notification with this title is shown. */
  shows: (title: string) => Promise<ShownNotification>
  /** Waits until none is. */
  hides: (title: string) => Promise<void>
  close: () => Promise<void>
}>

const BUS = 'org.freedesktop.DBus'
const NOTIFICATIONS = 'org.freedesktop.Notifications'
/** The connection that owns the notifications: the browser accepts signals of no other. */
const OWNER = ':1.2'

type Answer = Omit<Reply, 'serial' | 'sender' | 'replyTo'>
const returned = (...given: NonNullable<Reply['arguments']>): Answer => ({ type: 'return', arguments: given })
const failed = (error: string): Answer => ({
  type: 'error',
  error: `${BUS}.Error.${error}`,
  arguments: [text('there is no such thing here')],
})

const answerOfBus = ({ member, signature, body }: BusMessage): Answer => {
  const isKnown = signature?.startsWith('s') === true && readerOf(body).string() === NOTIFICATIONS
  switch (member) {
    case 'Hello':
      return returned(text(':1.1'))
    case 'GetNameOwner':
      return isKnown ? returned(text(OWNER)) : failed('NameHasNoOwner')
    case 'NameHasOwner':
      return returned(bool(isKnown))
    case 'StartServiceByName':
      return isKnown ? returned(uint32(2)) : failed('ServiceUnknown')
    case 'ListNames':
    case 'ListActivatableNames':
      return returned(texts([NOTIFICATIONS]))
    case 'AddMatch':
    case 'RemoveMatch':
      return returned()
    default:
      return failed('UnknownMethod')
  }
}

export async function startDesktop(): Promise<Desktop> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-desktop-'))
  const notifications = new Map<number, ShownNotification>()
  let lastId = 0

  const answerOfNotifications = (
    { member, body }: BusMessage,
    signal: (member: string, ...numbers: Reply['arguments'] & object) => void,
  ) => {
    if (member === 'GetCapabilities') return returned(texts(['actions', 'body']))
    if (member === 'GetServerInformation') return returned(text('desktop'), text('tidings'), text('1'), text('1.2'))
    const reader = readerOf(body)
    if (member === 'CloseNotification') {
      const id = reader.u32()
      if (notifications.delete(id)) signal('NotificationClosed', uint32(id), uint32(3))
      return returned()
    }
    if (member !== 'Notify') return failed('UnknownMethod')
    const [, replaces, , title, shownText] = [reader.string(), reader.u32(), reader.string(), reader.string(), reader.string()]
    const id = replaces || ++lastId
    notifications.set(id, { id, title, text: shownText, click: () => signal('ActionInvoked', uint32(id), text('default')) })
    return returned(uint32(id))
  }

  const speak = (socket: Socket): ((message: BusMessage) => void) => {
    let serial = 0
    const write = (reply: Omit<Reply, 'serial'>): void => {
      socket.write(encodeMessage({ ...reply, serial: ++serial }))
    }
    const signal = (member: string, ...given: NonNullable<Reply['arguments']>): void =>
      write({ type: 'signal', sender: OWNER, path: '/org/freedesktop/Notifications', interface: NOTIFICATIONS, member, arguments: given })
    return (message) => {
      if (message.type !== 'call') return
      const replyTo = message.serial
      if (message.destination === BUS) write({ ...answerOfBus(message), sender: BUS, replyTo })
      else if (message.destination === NOTIFICATIONS) write({ ...answerOfNotifications(message, signal), sender: OWNER, replyTo })
      else write({ ...failed('ServiceUnknown'), sender: BUS, replyTo })
    }
  }

  const server = createServer((socket) => accept(socket, speak(socket)))
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  await once(server.listen(join(folder, 'bus')), 'listening')
  return {
    address: `unix:path=${join(folder, 'bus')}`,
    shown: () => [...notifications.values()],
    shows: async (title) => {
      const all = await eventually(
        async () => [...notifications.values()],
        (some) => some.some((one) => one.title === title),
      )
      return all.find((one) => one.title === title) as ShownNotification
    },
    hides: async (title) => {
      await eventually(
        async () => [...notifications.values()],
        (some) => some.every((one) => one.title !== title),
      )
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The handshake (D-Bus Specification, "Authentication Protocol"), which takes every caller, then messages. */
function accept(socket: Socket, take: (message: BusMessage) => void): void {
  let received = Buffer.alloc(0)
  let isAuthenticated = false
  const nextLine = (): string | null => {
    const end = received.indexOf('\r\n')
    if (end < 0) return null
    const line = received.toString('latin1', 0, end).replace('\0', '')
    received = received.subarray(end + 2)
    return line
  }
  socket.on('error', () => socket.destroy())
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes])
    while (!isAuthenticated) {
      const line = nextLine()
      if (line === null) return
      if (line === 'BEGIN') isAuthenticated = true
      else if (line.startsWith('AUTH EXTERNAL')) socket.write(`OK ${'0'.repeat(32)}\r\n`)
      else socket.write(line.startsWith('AUTH') ? 'REJECTED EXTERNAL\r\n' : 'ERROR\r\n')
    }
    for (let next = firstMessage(received); next; next = firstMessage(received)) {
      received = Buffer.from(next.rest)
      take(next.message)
    }
  })
}
