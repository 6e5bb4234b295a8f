import { databaseNow } from '@tidings/clock'
import { uuidv5 } from '@tidings/codec'
import { claim, claimStream } from '@tidings/domain'
import type { Erasing } from './erasing.ts'
import type { Person } from './person.ts'

/** Frees the addresses. The request alone has given them up: a claim that is left here is taken over by who wants the address. */
export async function releaseClaims(
  { commands, keyRing, now = databaseNow }: Pick<Erasing, 'commands' | 'keyRing' | 'now'>,
  { workspaceId, held }: Person,
): Promise<number> {
  for (const { kind, value, claimId } of held) {
    const digest = await keyRing.claimDigest(workspaceId, kind, value)
    await commands.execute({
      decider: claim,
      stream: claimStream(workspaceId, kind, digest),
      command: { type: 'ReleaseClaim', data: { claimId } },
      context: {
        commandId: uuidv5(`${claimId}|erased`, workspaceId),
        workspaceId,
        actor: 'pipeline',
        requestId: claimId,
        at: new Date(now()).toISOString(),
      },
    })
  }
  return held.length
}
