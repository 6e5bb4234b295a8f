import { useState } from 'react'
import { ApiProblem, newKey } from '../api/client.ts'

type SubmitKey = Readonly<{ key: string; renew: () => void; onError: (error: Error) => void }>

/**
 * The `Idempotency-Key` of what one form or dialog submits: the same for each press, so that pressing twice does nothing twice. It is another one once the
 * form says something else, and once the API has answered with a refusal, which it would only repeat.
 */
export function useSubmitKey(): SubmitKey {
  const [key, setKey] = useState(newKey)
  const renew = (): void => setKey(newKey())
  const onError = (error: Error): void => {
    if (!(error instanceof ApiProblem) || error.status !== 0) renew()
  }
  return { key, renew, onError }
}
