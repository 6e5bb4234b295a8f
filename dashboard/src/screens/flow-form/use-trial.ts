import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { TriedFlow } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import type { Draft } from './draft.ts'
import { mistakeIn } from './problems.ts'
import { bodyOf, FIRST_TRIAL } from './trial.ts'

/** Tries the draft for a person. The answer is shown only as long as the same would be asked. `flowId`: null of a flow that is not made yet. */
export function useTrial(draft: Draft, flowId: string | null) {
  const [trial, setTrial] = useState(FIRST_TRIAL)
  const body = bodyOf({ draft, flowId }, trial)
  const asked = JSON.stringify(body)
  const trying = useMutation({ mutationFn: (text: string) => client.compute<TriedFlow>('/dashboard/flows/try', JSON.parse(text)) })
  const isCurrent = trying.variables === asked
  return {
    ...{ trial, setTrial },
    /** A flow is tried before it has a name. */
    mistake: mistakeIn({ ...draft, name: '-' }),
    isReady: body !== null,
    run: () => trying.mutate(asked),
    isPending: trying.isPending,
    tried: isCurrent ? (trying.data ?? null) : null,
    error: isCurrent ? trying.error : null,
  }
}

export type Trying = ReturnType<typeof useTrial>
