import { type ApiRefusalCode, type RefusalCode, type RefusalContext, Refused } from '@tidings/domain'

/** The status and sentence of each refusal code for the caller. `hidden`: the contract shows this answer without a code. */
export type RefusalAnswer = Readonly<{ status: number; message: string; hidden?: true }>

const coded = (status: number, message: string): RefusalAnswer => ({ status, message })
const uncoded = (status: number, message: string): RefusalAnswer => ({ status, message, hidden: true })

/**
 * Every code that a caller can meet, and its answer: the only place where a code meets a status.
 * Sources (contract: Errors): N442, N526, N539, N541, docs/reference/rules.md#g-gaps-of-the-public-api, M1, M17, M20.
 */
export const refusals = {
  // Profiles
  contact_email_taken: coded(409, 'Another profile already has this email'),
  contact_phone_taken: coded(409, 'Another profile already has this phone number'),
  invalid_phone: coded(400, 'The phone number is not valid'),
  invalid_email: uncoded(400, 'email must be an email'),
  custom_properties_too_large: uncoded(400, 'customProperties must not exceed 32768 bytes'),
  custom_properties_too_many_keys: uncoded(400, 'customProperties must not have more than 200 keys'),
  profile_not_found: uncoded(404, 'Profile not found'),
  contact_not_found: uncoded(404, 'Contact not found'),
  proof_too_large: coded(409, 'There are more events than a proof over HTTP may have: make it with `tidings consent export`'),
  nothing_to_prove: coded(409, 'No person of the workspace ever had a consent: there is nothing to prove'),
  erasure_not_found: uncoded(404, 'Erasure not found'),
  erasure_not_finished: coded(409, 'The erasure is still running: its receipt is there when all is done'),
  // Workspace
  workspace_not_found: uncoded(404, 'Workspace not found'),
  workspace_not_active: uncoded(403, 'Workspace is not active'),
  workspace_closed: uncoded(403, 'Workspace is not active'),
  // Messages
  message_not_found: uncoded(404, 'Message not found'),
  message_content_gone: coded(404, 'The content of the message is not kept'),
  from_domain_not_verified: coded(400, 'The domain of the sender address is not verified'),
  from_domain_blacklisted: coded(400, 'The domain of the sender address is on a public blocklist'),
  sender_inbox_not_verified: coded(400, 'The inbox of the sender address is not verified'),
  sender_id_required: coded(400, 'A sender ID of this workspace is required'),
  sender_id_not_approved: coded(400, 'The sender ID is not approved for this workspace'),
  insufficient_credits: coded(403, 'The SMS credit balance is too low for this message'),
  wallet_full: coded(409, 'A wallet holds at most 1000000000000 credits: add fewer'),
  template_not_found: coded(404, 'Template not found'),
  template_name_taken: coded(409, 'A template with this name already exists'),
  template_version_not_found: coded(404, 'The template has no such version'),
  template_channel_mismatch: coded(400, 'The template belongs to another channel'),
  template_render_failed: coded(400, 'The template could not be rendered'),
  content_empty: coded(400, 'The message is empty after its merge tags are resolved'),
  content_too_long: coded(400, 'The message is too long after its merge tags are resolved'),
  recipient_email_missing: coded(400, 'The contact has no email address'),
  recipient_phone_missing: coded(400, 'The contact has no phone number'),
  // Lists, tags, events
  list_not_found: uncoded(404, 'List not found'),
  list_not_static: uncoded(400, 'Only static lists can be modified'),
  list_type_fixed: uncoded(400, 'A list keeps its type'),
  list_name_taken: coded(409, 'A list with this name already exists'),
  list_version_not_found: coded(404, 'The list has no such version'),
  list_limit_reached: coded(409, 'A workspace has at most 200 dynamic lists'),
  tag_limit_reached: coded(400, 'The workspace already has 200 tags'),
  tag_name_taken: coded(409, 'A tag with this name already exists'),
  tag_not_found: uncoded(404, 'Tag not found'),
  custom_field_not_found: uncoded(404, 'Custom field not found'),
  custom_field_exists: coded(409, 'A custom field with this key already exists'),
  custom_field_limit_reached: coded(409, 'A workspace has at most 200 custom fields'),
  custom_event_not_found: uncoded(404, 'Custom event not found'),
  custom_event_exists: coded(409, 'A custom event with this name is declared already'),
  custom_event_limit_reached: coded(409, 'A workspace has at most 500 declared events'),
  connector_not_found: uncoded(404, 'Connector not found'),
  connector_name_taken: coded(409, 'A connector with this name already exists'),
  connector_limit_reached: coded(409, 'A workspace has at most 20 connectors'),
  event_name_reserved: uncoded(400, 'event is a reserved name'),
  event_name_not_of_stores: uncoded(400, 'event must be the name of a store, review or loyalty event'),
  event_properties_too_large: uncoded(400, 'properties must not exceed 8192 bytes'),
  // Campaigns
  campaign_not_found: uncoded(404, 'Campaign not found'),
  campaign_name_taken: coded(409, 'A campaign with this name already exists'),
  campaign_move_not_allowed: coded(409, 'The state of the campaign does not allow this move'),
  campaign_schedule_not_ahead: coded(400, 'The time to send at must be ahead'),
  campaign_variant_not_found: coded(400, 'The campaign has no such variant'),
  // Passcodes
  otp_phone_invalid: uncoded(400, 'A valid mobile phone number is required'),
  otp_cap_reached: uncoded(429, 'Too many verification requests for this number'),
  otp_volume_cap_reached: uncoded(429, 'Too many requests, please try again later'),
  otp_credits_insufficient: uncoded(402, 'Insufficient SMS credits'),
  otp_provider_failed: uncoded(503, 'Verification could not be sent, try again later'),
  // Webhooks, web push, forms, keys, sessions
  webhook_url_blocked: coded(400, 'Webhook URL is not allowed'),
  webhook_limit_reached: coded(400, 'The workspace already has its maximum of webhook endpoints'),
  push_endpoint_blocked: coded(400, 'Push endpoint is not allowed'),
  webhook_not_found: uncoded(404, 'Webhook not found'),
  webhook_paused: coded(409, 'The webhook is paused: resume it before something is delivered'),
  webhook_asked_too_often: coded(429, 'Too many deliveries were asked for this webhook, please try again in a minute'),
  webhook_delivery_not_found: uncoded(404, 'Delivery not found'),
  webhook_delivery_gone: coded(409, 'What the delivery reported is kept no more'),
  origin_not_allowed: uncoded(403, 'Origin is not allowed'),
  embedded_forms_disabled: uncoded(403, 'Embedded forms are not enabled'),
  form_archived: uncoded(403, 'This form takes no sign-ups any more'),
  form_not_found: uncoded(404, 'Form not found'),
  form_id_taken: coded(409, 'A form with this id already exists'),
  form_limit_reached: coded(409, 'A workspace has at most 200 forms'),
  login_failed: uncoded(401, 'Invalid email or password'),
  login_slowed: uncoded(429, 'Too many failed sign-ins, please try again later'),
  login_ambiguous: uncoded(400, 'workspace is required: the address is a user of several workspaces'),
  link_failed: uncoded(401, 'The link was used, has expired or was never made'),
  password_wrong: coded(400, 'The current password is not right'),
  session_not_found: uncoded(404, 'Session not found'),
  authentication_required: uncoded(401, 'Authentication required'),
  role_required: coded(403, 'Owner or admin role required'),
  owner_required: coded(403, 'Owner role required'),
  operator_required: coded(403, 'An operator of the installation is required'),
  workspace_slug_taken: coded(409, 'A workspace with this slug already exists'),
  workspace_required: coded(400, 'X-Tidings-Workspace must name the workspace to act on'),
  workspace_not_chosen: coded(403, 'Only an operator of the installation may name a workspace'),
  other_workspace_shown: coded(409, 'The page shows another workspace than the one that this browser is signed in to now'),
  user_exists: coded(409, 'The address is a user of the workspace already'),
  user_not_found: uncoded(404, 'User not found'),
  own_user_fixed: coded(409, 'Another owner must change your own user'),
  owner_needed: coded(409, 'The workspace would have no owner'),
  people_changing: coded(409, 'Another change of the users is under way, please try again'),
  flow_not_found: coded(404, 'Flow not found'),
  flow_name_taken: coded(409, 'A flow with this name already exists'),
  flow_limit_reached: coded(409, 'A workspace has at most 200 flows'),
  flow_takes_new_contacts: coded(409, 'A flow lets every new contact in, and would send to the people of the example: pause it first'),
  api_key_not_found: uncoded(404, 'API key not found'),
  api_key_active: coded(409, 'The API key is active: revoke it before deleting it'),
  // Senders
  sender_domain_not_found: uncoded(404, 'Sender domain not found'),
  sender_domain_invalid: coded(400, 'domain must be a domain name alone, like shop.example: without @, https:// or a path'),
  sender_domain_exists: coded(409, 'The workspace already has this sender domain'),
  sender_domain_needed: coded(400, 'The domain of the address is no sender domain of the workspace: add it first'),
  sender_address_not_found: uncoded(404, 'Sender address not found'),
  sender_address_exists: coded(409, 'The workspace already has this sender address'),
  sender_address_verified: coded(409, 'The address is verified already'),
  sender_confirmation_capped: coded(429, 'The mailbox was sent three mails in a day, please try again tomorrow'),
  sender_confirmations_capped: coded(429, 'The workspace has sent fifty such mails in a day, please try again tomorrow'),
  sender_id_not_found: uncoded(404, 'SMS sender ID not found'),
  sender_id_invalid: coded(400, 'id must be 1 to 11 Latin letters, digits, blanks inside and . _ & + -'),
  sender_id_exists: coded(409, 'The workspace already has this sender ID'),
  sender_id_reserved: coded(400, 'This name is shared by all, and no workspace can have it'),
  sender_number_taken: coded(409, 'This number belongs to another sender'),
  sender_limit_reached: coded(400, 'The workspace already has its maximum of such senders'),
  sender_decision_not_allowed: coded(409, 'The state of the sender does not allow this decision'),
  dns_asked_too_often: coded(429, 'DNS was asked too often for this workspace, please try again in a minute'),
  dns_unanswered: coded(503, 'No DNS server said what the domain has, please try again later'),
  dkim_key_limit: coded(409, 'The domain has had its maximum of DKIM keys'),
  dkim_key_not_found: uncoded(404, 'DKIM key not found'),
  dkim_key_not_published: coded(409, 'DNS does not show this key: publish its record first'),
  // Projections
  projection_not_found: uncoded(404, 'Projection not found'),
  projection_busy: coded(409, 'Something is done with the projection already'),
  // Dead letters
  dead_letter_not_found: uncoded(404, 'Dead letter not found'),
  dead_letter_settled: coded(409, 'The dead letter is being tried again already, or was given up'),
  // Editing
  if_match_required: coded(428, 'If-Match must have the etag of the record as it was read'),
  changed_meanwhile: coded(409, 'Somebody else has changed the record meanwhile'),
  // Idempotency-Key
  idempotency_key_reused: coded(409, 'The idempotency key was used with another request'),
  idempotency_in_progress: coded(409, 'The first request with this idempotency key is still running'),
} as const satisfies Readonly<Record<ApiRefusalCode, RefusalAnswer>>

/** Whether a caller can meet the code. Any other that leaves a route is our fault. */
export function isAnswered(code: RefusalCode): code is ApiRefusalCode {
  return Object.hasOwn(refusals, code)
}

/** A refusal by a route that reads: query-api knows no domain. */
export function refusal(code: ApiRefusalCode, context?: RefusalContext): Refused {
  return new Refused(code, context)
}
