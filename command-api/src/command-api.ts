import type { App } from '@tidings/http'
import { createApiKey } from './api-keys/create-api-key.route.ts'
import { createEventIngestKey } from './api-keys/create-event-ingest-key.route.ts'
import { createPublishableKey } from './api-keys/create-publishable-key.route.ts'
import { deleteApiKey } from './api-keys/delete-api-key.route.ts'
import { listApiKeys } from './api-keys/list-api-keys.route.ts'
import { revokeApiKey } from './api-keys/revoke-api-key.route.ts'
import { readContactConsent } from './contacts/read-consent.route.ts'
import type { Dependencies } from './dependencies.ts'
import { ingestEvent } from './events/ingest-event.route.ts'
import { preflight } from './forms/preflight.route.ts'
import { subscribeForm } from './forms/subscribe-form.route.ts'
import { addMembers } from './lists/add-members.route.ts'
import { removeMember } from './lists/remove-member.route.ts'
import { removeMembers } from './lists/remove-members.route.ts'
import { sendEmail } from './messages/send-email.route.ts'
import { sendSms } from './messages/send-sms.route.ts'
import { sendOtp } from './otp/send-otp.route.ts'
import { verifyOtp } from './otp/verify-otp.route.ts'
import { blacklistProfile } from './profiles/blacklist-profile.route.ts'
import { createProfile } from './profiles/create-profile.route.ts'
import { liftBlacklist } from './profiles/lift-blacklist.route.ts'
import { updateProfile } from './profiles/update-profile.route.ts'
import { updateProfileByEmail } from './profiles/update-profile-by-email.route.ts'
import { upsertProfile } from './profiles/upsert-profile.route.ts'
import { registerPush } from './push/register-push.route.ts'
import { emailEvents } from './receipts/email-events.route.ts'
import { mailgunEvents } from './receipts/mailgun-events.route.ts'
import { sesEvents } from './receipts/ses-events.route.ts'
import { twilioRoutes } from './receipts/twilio-routes.ts'
import { login } from './sign-in/login.route.ts'
import { logout } from './sign-in/logout.route.ts'
import { readSession } from './sign-in/read-session.route.ts'
import { signInByLink } from './sign-in/sign-in-by-link.route.ts'
import { reportStoreEvent } from './store-events/report-store-event.route.ts'
import { createTag } from './tags/create-tag.route.ts'
import { orUnavailable } from './unless-erased.ts'
import { createWebhook } from './webhooks/create-webhook.route.ts'
import { deleteWebhook } from './webhooks/delete-webhook.route.ts'

const routes = [
  createProfile,
  upsertProfile,
  updateProfileByEmail,
  updateProfile,
  blacklistProfile,
  liftBlacklist,
  sendEmail,
  sendSms,
  sendOtp,
  verifyOtp,
  ingestEvent,
  reportStoreEvent,
  emailEvents,
  mailgunEvents,
  sesEvents,
  twilioRoutes,
  createTag,
  addMembers,
  removeMembers,
  removeMember,
  createWebhook,
  deleteWebhook,
  login,
  signInByLink,
  logout,
  readSession,
  createApiKey,
  createEventIngestKey,
  createPublishableKey,
  listApiKeys,
  revokeApiKey,
  deleteApiKey,
  readContactConsent,
  registerPush,
  preflight,
  subscribeForm,
]

/** Every route that writes, as one plugin; register it under `/api/v1`. */
export function commandApi(deps: Dependencies) {
  return async (app: App): Promise<void> => {
    app.setErrorHandler(orUnavailable)
    for (const route of routes) route(app, deps)
  }
}
