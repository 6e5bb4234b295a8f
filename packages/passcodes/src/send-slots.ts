import { Busy } from '@tidings/commands'

type Limits = Readonly<{ all: number; perWorkspace: number }>

/** Runs `work` in one of the slots; throws `Busy` at once where none is free for the workspace. */
export type SendSlots = <Result>(workspaceId: string, work: () => Promise<Result>) => Promise<Result>

/** Bounds what is sent at one time, so that a workspace whose sends are slow leaves slots to the others. */
export function createSendSlots({ all, perWorkspace }: Limits): SendSlots {
  const used = new Map<string, number>()
  let total = 0
  return async (workspaceId, work) => {
    const mine = used.get(workspaceId) ?? 0
    if (total >= all || mine >= perWorkspace) throw new Busy('too many passcodes are on their way')
    total++
    used.set(workspaceId, mine + 1)
    try {
      return await work()
    } finally {
      total--
      const left = (used.get(workspaceId) ?? 1) - 1
      if (left > 0) used.set(workspaceId, left)
      else used.delete(workspaceId)
    }
  }
}
