import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { expect, test } from 'vitest'
import { reportLowCredits } from '../../src/command-side/command-side.ts'

const low = (workspaceId: WorkspaceId) => ({ workspaceId, available: 3, threshold: 10 })

test('a wallet that falls under the threshold again and again is one line, and each workspace has its own', () => {
  const lines: object[] = []
  const report = reportLowCredits({ warn: (line: object) => lines.push(line) } as never)
  for (const workspaceId of [asWorkspaceId('a'), asWorkspaceId('a'), asWorkspaceId('b'), asWorkspaceId('a')]) report(low(workspaceId))
  expect(lines).toEqual([low(asWorkspaceId('a')), low(asWorkspaceId('b'))])
})

test('a log that cannot be written costs no message', () => {
  const report = reportLowCredits({
    warn: () => {
      throw new Error('no space left on device')
    },
  } as never)
  expect(() => report(low(asWorkspaceId('a')))).not.toThrow()
})
