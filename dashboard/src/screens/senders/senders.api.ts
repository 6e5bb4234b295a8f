import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { SenderAddressStatus, SenderDomainStatus, Senders, SmsSenderStatus } from '../../api/calls.ts'
import { client, type Written } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

const SENDERS = '/dashboard/senders'
const pathOf = (kind: 'domains' | 'addresses', name: string, more: string) => `${SENDERS}/${kind}/${encodeURIComponent(name)}${more}`

export function useSenders() {
  return useQuery({ queryKey: [...keys.senders, 'all'], queryFn: ({ signal }) => client.read<Senders>(SENDERS, signal) })
}

/** One of what is done to senders. All are read again, after a refusal too: somebody else may have changed them. */
function useChange<Body, Data>(act: (given: Body) => Promise<Written<Data>>, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: act, onSuccess: onDone, onSettled: () => queries.invalidateQueries({ queryKey: keys.senders }) })
}

export type NewSender<Body> = Readonly<{ body: Body; idempotencyKey: string }>

export function useAddDomain(onDone: () => void) {
  return useChange(
    (wanted: NewSender<Readonly<{ domain: string }>>) => client.write<SenderDomainStatus>(`${SENDERS}/domains`, wanted),
    onDone,
  )
}

const nothing = (): void => undefined

export function useCheckDomain() {
  return useChange((domain: string) => client.write<SenderDomainStatus>(pathOf('domains', domain, '/check'), { body: {} }), nothing)
}

type ReadDomain = Pick<SenderDomainStatus, 'domain' | 'etag'>

export function useNewKey() {
  return useChange(
    ({ domain, etag }: ReadDomain) => client.write<SenderDomainStatus>(pathOf('domains', domain, '/keys'), { body: {}, ifMatch: etag }),
    nothing,
  )
}

/** `selector`: null for no key. */
export function useChooseKey(onDone: () => void = nothing) {
  return useChange(
    ({ domain, etag, selector }: ReadDomain & Readonly<{ selector: string | null }>) =>
      client.write<SenderDomainStatus>(pathOf('domains', domain, '/dkim'), { method: 'PUT', body: { selector }, ifMatch: etag }),
    onDone,
  )
}

export function useAddAddress(onDone: () => void) {
  return useChange(
    (wanted: NewSender<Readonly<{ email: string; name?: string }>>) => client.write<SenderAddressStatus>(`${SENDERS}/addresses`, wanted),
    onDone,
  )
}

export function useAskMailbox() {
  return useChange((id: string) => client.write<SenderAddressStatus>(pathOf('addresses', id, '/ask'), { body: {} }), nothing)
}

export function useAskForSmsSender(onDone: () => void) {
  return useChange((wanted: NewSender<Readonly<{ id: string }>>) => client.write<SmsSenderStatus>(`${SENDERS}/sms`, wanted), onDone)
}
