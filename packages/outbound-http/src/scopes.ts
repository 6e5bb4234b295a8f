/** `atOnce`: how many of one scope are inside together. `maxWaiting`: how many more of it may wait. */
export type ScopesOptions = Readonly<{ atOnce: number; maxWaiting: number }>

export type Scopes = Readonly<{
  /** Waits for a place in the scope; gives what leaves it again, or null at once when too many wait already. */
  enter: (scope: string) => Promise<(() => void) | null>
}>

type Room = { inside: number; readonly waiting: (() => void)[] }

/** A semaphore for each scope; a scope that is empty takes no memory. */
export function createScopes({ atOnce, maxWaiting }: ScopesOptions): Scopes {
  const rooms = new Map<string, Room>()

  const leave = (scope: string, room: Room): void => {
    const next = room.waiting.shift()
    if (next) next()
    else if (--room.inside === 0) rooms.delete(scope)
  }

  return {
    enter: async (scope) => {
      const room = rooms.get(scope) ?? { inside: 0, waiting: [] }
      rooms.set(scope, room)
      if (room.inside < atOnce) room.inside++
      else if (room.waiting.length >= maxWaiting) return null
      else await new Promise<void>((entered) => room.waiting.push(entered))
      return () => leave(scope, room)
    },
  }
}
