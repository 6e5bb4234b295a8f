import type { Again } from '@tidings/inbox'

/** Gives back what was taken. */
type Leave = () => void

/**
 * Who holds the places of a lane, in this process. An endpoint is a stranger's text whose server may stall every call, so no one workspace and no one push
 * service may hold them all. Both answer null where there is no place now.
 */
export type Places = Readonly<{
  /** At most half; once half of all are taken, an eighth. */
  forWorkspace: (workspaceId: string) => Leave | null
  /** One at each of the push services, at most three quarters of the places at one. */
  forServices: (endpoints: readonly string[]) => Leave | null
}>

/** Nothing was tried. Spread, so that those put off together do not come back together. */
export function untilPlace(): Again {
  return { inMs: 1_000 * (1 + Math.random()), counts: false, reason: 'other pushes hold the places' }
}

/** `count`: of the lane. */
export function createPlaces(count: number): Places {
  const share = (part: number): number => Math.max(1, Math.floor(count * part))
  const [half, eighth, threeQuarters] = [share(1 / 2), share(1 / 8), share(3 / 4)]
  const workspaces = new Map<string, number>()
  const services = new Map<string, number>()
  let taken = 0
  return {
    forWorkspace: (workspaceId) => {
      const most = taken < half ? half : eighth
      if ((workspaces.get(workspaceId) ?? 0) >= most) return null
      taken++
      add(workspaces, workspaceId, 1)
      return () => {
        taken--
        add(workspaces, workspaceId, -1)
      }
    },
    forServices: (endpoints) => {
      const origins = [...new Set(endpoints.map((endpoint) => new URL(endpoint).origin))]
      if (origins.some((origin) => (services.get(origin) ?? 0) >= threeQuarters)) return null
      for (const origin of origins) add(services, origin, 1)
      return () => {
        for (const origin of origins) add(services, origin, -1)
      }
    },
  }
}

const add = (held: Map<string, number>, who: string, by: number): void => {
  const now = (held.get(who) ?? 0) + by
  if (now === 0) held.delete(who)
  else held.set(who, now)
}
