import { useState } from 'react'
import { ApiProblem, newKey } from '../api/client.ts'

type SubmitKey = Readonly<{ key: string; renew: () => void; onError: (error: Error) => void }>

/** Whether the API repeats this answer under the same key: it remembers a refusal, and not that it is busy, away or still at it. */
export function isRemembered(error: Error): boolean {
  if (!(error instanceof ApiProblem)) return true
  return error.status > 0 && error.status < 500 && error.status !== 429 && error.code !== 'idempotency_in_progress'
}

/**
 * The `Idempotency-Key` of what one form or dialog submits: the same for each press, so that pressing twice does nothing twice. It is another one once the
 * form says something else, and once the API has answered with a refusal, which it would only repeat.
 */
export function useSubmitKey(): SubmitKey {
  const [key, setKey] = useState(newKey)
  const renew = (): void => setKey(newKey())
  const onError = (error: Error): void => {
    if (isRemembered(error)) renew()
  }
  return { key, renew, onError }
}
