import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ShownFlow } from '../../api/calls.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'
import { type FlowMove, useMoveFlow } from './flow.api.ts'

const MOVES: Readonly<Record<ShownFlow['status'], readonly FlowMove[]>> = {
  active: ['pause', 'retire'],
  paused: ['resume', 'retire'],
  retired: ['restore'],
}

/** What can be done with the flow now; each asks first, and says what happens and to how many. */
export function Moves({ flow }: Readonly<{ flow: ShownFlow }>) {
  const { flow: words } = useWords()
  const [asked, setAsked] = useState<FlowMove | null>(null)
  return (
    <>
      {MOVES[flow.status].map((move, index) => (
        <Button key={move} {...(index > 0 && { variant: 'default' })} onClick={() => setAsked(move)}>
          {words.moves[move]}
        </Button>
      ))}
      {asked !== null && <ConfirmMove key={asked} flow={flow} move={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

/** One dialog has one key: two presses move it once. */
function ConfirmMove({ flow, move, onClose }: Readonly<{ flow: ShownFlow; move: FlowMove; onClose: () => void }>) {
  const { flow: words } = useWords()
  const { key: idempotencyKey, onError } = useSubmitKey()
  const moving = useMoveFlow(flow.id, onClose)
  return (
    <Confirm
      opened
      title={words.moveTitles[move]}
      verb={words.moves[move]}
      dangerous={move === 'pause' || move === 'retire'}
      pending={moving.isPending}
      error={moving.error}
      onConfirm={() => moving.mutate({ move, etag: flow.etag, idempotencyKey }, { onError })}
      onClose={onClose}
    >
      <span role="status">{words.moveHelp[move](flow.inside)}</span>
    </Confirm>
  )
}
