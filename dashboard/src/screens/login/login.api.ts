import type { SignedIn } from '../../api/calls.ts'
import { client, type Written } from '../../api/client.ts'

type Credentials = Readonly<{ email: string; password: string; workspace?: string }>

export function signIn(body: Credentials): Promise<Written<SignedIn>> {
  return client.write('/auth/login', { body })
}

export function signInByLink(token: string): Promise<Written<SignedIn>> {
  return client.write('/auth/link', { body: { token } })
}
