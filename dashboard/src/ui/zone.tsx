import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import { kept } from '../kept.ts'
import { ownZone, zoneNamed } from './zoned-time.ts'

const PLACE = 'tidings-zone'

type ChosenZone = Readonly<{ zone: string; chooseZone: (zone: string) => void }>

const Context = createContext<ChosenZone>({ zone: 'UTC', chooseZone: () => undefined })

/** The time zone in which times are shown: the one that was chosen here, if the browser knows it, else its own. */
export function ZoneProvider({ children }: Readonly<{ children: ReactNode }>) {
  const [zone, setZone] = useState(() => zoneNamed(kept.read(PLACE), ownZone()))
  const chosen = useMemo(
    () => ({
      zone,
      chooseZone: (next: string) => {
        kept.write(PLACE, next)
        setZone(next)
      },
    }),
    [zone],
  )
  return <Context.Provider value={chosen}>{children}</Context.Provider>
}

export function useZone(): ChosenZone {
  return useContext(Context)
}
