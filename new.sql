--
-- PostgreSQL database dump
--

\restrict bFJZbA1uIvwpfjofMgH3X0gAnt77s8vjLEKRawSGJHDCh5K2da4S5efRA20vMEa

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: btree_gin; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;


--
-- Name: EXTENSION btree_gin; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION btree_gin IS 'support for indexing common datatypes in GIN';


--
-- Name: pg_trgm; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;


--
-- Name: EXTENSION pg_trgm; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';


--
-- Name: delivery_state; Type: TYPE; Schema: public; Owner: postgres
--

CREATE TYPE public.delivery_state AS ENUM (
    'pending',
    'delivered',
    'failed',
    'skipped'
);


ALTER TYPE public.delivery_state OWNER TO postgres;

--
-- Name: event_state; Type: TYPE; Schema: public; Owner: postgres
--

CREATE TYPE public.event_state AS ENUM (
    'routed',
    'unrouted',
    'rejected'
);


ALTER TYPE public.event_state OWNER TO postgres;

--
-- Name: scope; Type: TYPE; Schema: public; Owner: postgres
--

CREATE TYPE public.scope AS ENUM (
    'read',
    'write',
    'replay'
);


ALTER TYPE public.scope OWNER TO postgres;

--
-- Name: verification_state; Type: TYPE; Schema: public; Owner: postgres
--

CREATE TYPE public.verification_state AS ENUM (
    'pending',
    'passed',
    'failed'
);


ALTER TYPE public.verification_state OWNER TO postgres;

--
-- Name: ringback_count(uuid, text, bigint); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.ringback_count(of_account uuid, of_list text, added bigint) RETURNS void
    LANGUAGE sql
    AS $$
  INSERT INTO list_counts AS kept (account_id, list, slot, count)
  VALUES (of_account, of_list, pg_backend_pid() % 8, added)
  ON CONFLICT (account_id, list, slot) DO UPDATE SET count = kept.count + excluded.count
$$;


ALTER FUNCTION public.ringback_count(of_account uuid, of_list text, added bigint) OWNER TO postgres;

--
-- Name: ringback_count_subscriptions(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.ringback_count_subscriptions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN
      PERFORM ringback_count(account_id, 'subscriptions', n)
      FROM (SELECT account_id, count(*) AS n FROM added GROUP BY 1 ORDER BY 1) AS counted;
    WHEN 'DELETE' THEN
      PERFORM ringback_count(account_id, 'subscriptions', -n)
      FROM (SELECT account_id, count(*) AS n FROM removed GROUP BY 1 ORDER BY 1) AS counted;
    WHEN 'TRUNCATE' THEN
      DELETE FROM list_counts WHERE list = 'subscriptions';
  END CASE;
  RETURN NULL;
END
$$;


ALTER FUNCTION public.ringback_count_subscriptions() OWNER TO postgres;

--
-- Name: ringback_count_webhooks(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.ringback_count_webhooks() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  CASE TG_OP
    WHEN 'INSERT' THEN
      PERFORM ringback_count(account_id, list, n) FROM (
        SELECT account_id, ringback_list_of_webhook(deleted_at) AS list, count(*) AS n FROM added GROUP BY 1, 2 ORDER BY 1, 2
      ) AS counted;
    WHEN 'DELETE' THEN
      PERFORM ringback_count(account_id, list, -n) FROM (
        SELECT account_id, ringback_list_of_webhook(deleted_at) AS list, count(*) AS n FROM removed GROUP BY 1, 2 ORDER BY 1, 2
      ) AS counted;
    WHEN 'UPDATE' THEN
      -- In the same order whether it is deleted or restored, so that two of them do not wait for each other for ever.
      PERFORM ringback_count(NEW.account_id, 'webhooks', CASE WHEN NEW.deleted_at IS NULL THEN 1 ELSE -1 END);
      PERFORM ringback_count(NEW.account_id, 'webhooks.deleted', CASE WHEN NEW.deleted_at IS NULL THEN -1 ELSE 1 END);
    WHEN 'TRUNCATE' THEN
      DELETE FROM list_counts WHERE list IN ('webhooks', 'webhooks.deleted');
  END CASE;
  RETURN NULL;
END
$$;


ALTER FUNCTION public.ringback_count_webhooks() OWNER TO postgres;

--
-- Name: ringback_list_of_webhook(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.ringback_list_of_webhook(deleted_at timestamp with time zone) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT CASE WHEN deleted_at IS NULL THEN 'webhooks' ELSE 'webhooks.deleted' END
$$;


ALTER FUNCTION public.ringback_list_of_webhook(deleted_at timestamp with time zone) OWNER TO postgres;

--
-- Name: ringback_uuid_v7(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.ringback_uuid_v7() RETURNS uuid
    LANGUAGE sql PARALLEL SAFE
    AS $$
  SELECT encode(
    set_bit(
      set_bit(
        overlay(uuid_send(gen_random_uuid())
          PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
          FROM 1 FOR 6),
        52, 1),
      53, 1),
    'hex')::uuid
$$;


ALTER FUNCTION public.ringback_uuid_v7() OWNER TO postgres;

--
-- Name: ringback_uuid_v7_at(timestamp with time zone); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.ringback_uuid_v7_at(at timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM "at") * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;


ALTER FUNCTION public.ringback_uuid_v7_at(at timestamp with time zone) OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: access_tokens; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.access_tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    account_id uuid NOT NULL,
    hash text NOT NULL,
    scopes public.scope[] DEFAULT '{read,write,replay}'::public.scope[] NOT NULL,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    revoked_at timestamp(6) with time zone,
    CONSTRAINT access_tokens_scopes CHECK ((cardinality(scopes) > 0))
);


ALTER TABLE public.access_tokens OWNER TO postgres;

--
-- Name: accounts; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.accounts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    callback_token text NOT NULL,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);


ALTER TABLE public.accounts OWNER TO postgres;

--
-- Name: attempts; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.attempts (
    delivery_id uuid NOT NULL,
    number integer NOT NULL,
    kind text,
    started_at timestamp(6) with time zone NOT NULL,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    status_code integer,
    error_code text,
    verdict text,
    url text NOT NULL,
    remote_address text,
    dns_ms integer,
    connect_ms integer,
    tls_ms integer,
    first_byte_ms integer,
    request_headers json,
    request_body text,
    response_headers json,
    response_body text,
    warnings text[] DEFAULT ARRAY[]::text[] NOT NULL
)
PARTITION BY RANGE (delivery_id);


ALTER TABLE public.attempts OWNER TO postgres;

--
-- Name: attempts_first; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.attempts_first (
    delivery_id uuid NOT NULL,
    number integer NOT NULL,
    kind text,
    started_at timestamp(6) with time zone NOT NULL,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    status_code integer,
    error_code text,
    verdict text,
    url text NOT NULL,
    remote_address text,
    dns_ms integer,
    connect_ms integer,
    tls_ms integer,
    first_byte_ms integer,
    request_headers json,
    request_body text,
    response_headers json,
    response_body text,
    warnings text[] DEFAULT ARRAY[]::text[] NOT NULL
);


ALTER TABLE public.attempts_first OWNER TO postgres;

--
-- Name: audit_marks; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.audit_marks (
    name text NOT NULL,
    at timestamp(6) with time zone NOT NULL
);


ALTER TABLE public.audit_marks OWNER TO postgres;

--
-- Name: changes; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.changes (
    id uuid DEFAULT public.ringback_uuid_v7() NOT NULL,
    account_id uuid,
    at timestamp(6) with time zone DEFAULT clock_timestamp() NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object_type text NOT NULL,
    object_id text NOT NULL,
    changed json DEFAULT '[]'::json NOT NULL
);


ALTER TABLE public.changes OWNER TO postgres;

--
-- Name: deliveries; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.deliveries (
    id uuid DEFAULT public.ringback_uuid_v7() NOT NULL,
    event_id uuid NOT NULL,
    account_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    channel text NOT NULL,
    state public.delivery_state DEFAULT 'pending'::public.delivery_state NOT NULL,
    reason text,
    attempt_count integer DEFAULT 0 NOT NULL,
    due_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP,
    leased_at timestamp(6) with time zone,
    lease_expires_at timestamp(6) with time zone,
    expired_lease_count integer DEFAULT 0 NOT NULL,
    resent_from public.delivery_state,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT deliveries_lease_has_start CHECK (((lease_expires_at IS NULL) = (leased_at IS NULL))),
    CONSTRAINT deliveries_lease_is_due CHECK (((lease_expires_at IS NULL) OR (due_at IS NOT NULL))),
    CONSTRAINT deliveries_pending_is_due CHECK (((state = 'pending'::public.delivery_state) = (due_at IS NOT NULL)))
)
PARTITION BY RANGE (id);


ALTER TABLE public.deliveries OWNER TO postgres;

--
-- Name: deliveries_first; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.deliveries_first (
    id uuid DEFAULT public.ringback_uuid_v7() NOT NULL,
    event_id uuid NOT NULL,
    account_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    channel text NOT NULL,
    state public.delivery_state DEFAULT 'pending'::public.delivery_state NOT NULL,
    reason text,
    attempt_count integer DEFAULT 0 NOT NULL,
    due_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP,
    leased_at timestamp(6) with time zone,
    lease_expires_at timestamp(6) with time zone,
    expired_lease_count integer DEFAULT 0 NOT NULL,
    resent_from public.delivery_state,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT deliveries_lease_has_start CHECK (((lease_expires_at IS NULL) = (leased_at IS NULL))),
    CONSTRAINT deliveries_lease_is_due CHECK (((lease_expires_at IS NULL) OR (due_at IS NOT NULL))),
    CONSTRAINT deliveries_pending_is_due CHECK (((state = 'pending'::public.delivery_state) = (due_at IS NOT NULL)))
);


ALTER TABLE public.deliveries_first OWNER TO postgres;

--
-- Name: event_keys; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.event_keys (
    key text NOT NULL,
    event_id uuid NOT NULL
);


ALTER TABLE public.event_keys OWNER TO postgres;

--
-- Name: events; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.events (
    id uuid DEFAULT public.ringback_uuid_v7() NOT NULL,
    name text,
    account_id uuid,
    webhook_id uuid,
    identity text,
    platform_event_id text,
    message_id text,
    mobile text,
    payload text,
    state public.event_state NOT NULL,
    reason text,
    envelope text,
    delivery_count integer,
    received_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    duplicate_count integer,
    last_duplicate_at timestamp(6) with time zone
)
PARTITION BY RANGE (id);


ALTER TABLE public.events OWNER TO postgres;

--
-- Name: events_first; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.events_first (
    id uuid DEFAULT public.ringback_uuid_v7() NOT NULL,
    name text,
    account_id uuid,
    webhook_id uuid,
    identity text,
    platform_event_id text,
    message_id text,
    mobile text,
    payload text,
    state public.event_state NOT NULL,
    reason text,
    envelope text,
    delivery_count integer,
    received_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    duplicate_count integer,
    last_duplicate_at timestamp(6) with time zone
);


ALTER TABLE public.events_first OWNER TO postgres;

--
-- Name: list_counts; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.list_counts (
    account_id uuid NOT NULL,
    list text NOT NULL,
    slot smallint NOT NULL,
    count bigint NOT NULL
)
WITH (fillfactor='50');


ALTER TABLE public.list_counts OWNER TO postgres;

--
-- Name: platform_tokens; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.platform_tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    hash text NOT NULL,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    revoked_at timestamp(6) with time zone
);


ALTER TABLE public.platform_tokens OWNER TO postgres;

--
-- Name: portal_sessions; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.portal_sessions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    account_id uuid NOT NULL,
    link_hash text NOT NULL,
    bearer_hash text,
    scopes public.scope[] NOT NULL,
    webhook_ids uuid[],
    creator_id uuid,
    portal_user_name text,
    mask_phone_numbers boolean DEFAULT false NOT NULL,
    theme json,
    return_url text,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    expires_at timestamp(6) with time zone NOT NULL,
    ended_at timestamp(6) with time zone,
    CONSTRAINT portal_sessions_scopes CHECK ((cardinality(scopes) > 0)),
    CONSTRAINT portal_sessions_webhook_ids CHECK (((webhook_ids IS NULL) OR (cardinality(webhook_ids) > 0)))
);


ALTER TABLE public.portal_sessions OWNER TO postgres;

--
-- Name: replays; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.replays (
    id uuid DEFAULT public.ringback_uuid_v7() NOT NULL,
    account_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    filter json NOT NULL,
    state text DEFAULT 'running'::text NOT NULL,
    reason text,
    rate integer NOT NULL,
    total integer,
    replayed integer DEFAULT 0 NOT NULL,
    last_examined_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    stepped_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    finished_at timestamp(6) with time zone,
    CONSTRAINT replays_state CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'cancelled'::text])))
);


ALTER TABLE public.replays OWNER TO postgres;

--
-- Name: request_windows; Type: TABLE; Schema: public; Owner: postgres
--

CREATE UNLOGGED TABLE public.request_windows (
    token_id uuid NOT NULL,
    request_count integer NOT NULL,
    ends_at timestamp(6) with time zone NOT NULL
)
WITH (fillfactor='50');


ALTER TABLE public.request_windows OWNER TO postgres;

--
-- Name: statistic_entries; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.statistic_entries (
    account_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event text NOT NULL,
    at timestamp(6) with time zone NOT NULL,
    codes smallint[] NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='10000');


ALTER TABLE public.statistic_entries OWNER TO postgres;

--
-- Name: statistics; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.statistics (
    subject_id uuid NOT NULL,
    resolution text NOT NULL,
    start timestamp(6) with time zone NOT NULL,
    event text NOT NULL,
    codes smallint[] NOT NULL,
    counts integer[] NOT NULL,
    delivered integer GENERATED ALWAYS AS (COALESCE(counts[array_position(codes, (1)::smallint)], 0)) STORED NOT NULL,
    failed integer GENERATED ALWAYS AS ((COALESCE(counts[array_position(codes, (3)::smallint)], 0) + COALESCE(counts[array_position(codes, (4)::smallint)], 0))) STORED NOT NULL,
    CONSTRAINT statistics_resolution CHECK ((resolution = ANY (ARRAY['minute'::text, 'hour'::text, 'day'::text])))
)
WITH (fillfactor='80');


ALTER TABLE public.statistics OWNER TO postgres;

--
-- Name: subscriptions; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.subscriptions (
    id integer NOT NULL,
    account_id uuid NOT NULL,
    event text NOT NULL,
    identity text DEFAULT 'all'::text NOT NULL,
    webhook_id uuid NOT NULL,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);


ALTER TABLE public.subscriptions OWNER TO postgres;

--
-- Name: subscriptions_id_seq; Type: SEQUENCE; Schema: public; Owner: postgres
--

CREATE SEQUENCE public.subscriptions_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE public.subscriptions_id_seq OWNER TO postgres;

--
-- Name: subscriptions_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: postgres
--

ALTER SEQUENCE public.subscriptions_id_seq OWNED BY public.subscriptions.id;


--
-- Name: test_calls; Type: TABLE; Schema: public; Owner: postgres
--

CREATE UNLOGGED TABLE public.test_calls (
    id uuid DEFAULT public.ringback_uuid_v7() NOT NULL,
    account_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    event text NOT NULL,
    payload text NOT NULL,
    claimed_at timestamp(6) with time zone,
    result json,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);


ALTER TABLE public.test_calls OWNER TO postgres;

--
-- Name: verifications; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.verifications (
    id uuid DEFAULT public.ringback_uuid_v7() NOT NULL,
    webhook_id uuid NOT NULL,
    state public.verification_state DEFAULT 'pending'::public.verification_state NOT NULL,
    attempt_count integer DEFAULT 0 NOT NULL,
    reason text,
    next_attempt_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL
);


ALTER TABLE public.verifications OWNER TO postgres;

--
-- Name: webhook_rate_limits; Type: TABLE; Schema: public; Owner: postgres
--

CREATE UNLOGGED TABLE public.webhook_rate_limits (
    webhook_id uuid NOT NULL,
    allowed_at timestamp(6) with time zone NOT NULL
)
WITH (fillfactor='50');


ALTER TABLE public.webhook_rate_limits OWNER TO postgres;

--
-- Name: webhooks; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.webhooks (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    uri text NOT NULL,
    secret text,
    verification_code text,
    active boolean DEFAULT true NOT NULL,
    body_template text,
    signing boolean DEFAULT true NOT NULL,
    signing_secret text,
    previous_signing_secret text,
    previous_signs_until timestamp(6) with time zone,
    rate_limit integer,
    failing_since timestamp(6) with time zone,
    paused_at timestamp(6) with time zone,
    pause_reason text,
    pause_notified_at timestamp(6) with time zone,
    created_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp(6) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    deleted_at timestamp(6) with time zone,
    CONSTRAINT webhooks_pause_has_reason CHECK (((paused_at IS NULL) = (pause_reason IS NULL))),
    CONSTRAINT webhooks_rate_limit CHECK (((rate_limit >= 1) AND (rate_limit <= 1000)))
);


ALTER TABLE public.webhooks OWNER TO postgres;

--
-- Name: attempts_first; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.attempts ATTACH PARTITION public.attempts_first FOR VALUES FROM (MINVALUE) TO ('01a23e59-c400-0000-0000-000000000000');


--
-- Name: deliveries_first; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.deliveries ATTACH PARTITION public.deliveries_first FOR VALUES FROM (MINVALUE) TO ('01a23e59-c400-0000-0000-000000000000');


--
-- Name: events_first; Type: TABLE ATTACH; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.events ATTACH PARTITION public.events_first FOR VALUES FROM (MINVALUE) TO ('01a23e59-c400-0000-0000-000000000000');


--
-- Name: subscriptions id; Type: DEFAULT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.subscriptions ALTER COLUMN id SET DEFAULT nextval('public.subscriptions_id_seq'::regclass);


--
-- Name: access_tokens access_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_pkey PRIMARY KEY (id);


--
-- Name: accounts accounts_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);


--
-- Name: attempts attempts_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.attempts
    ADD CONSTRAINT attempts_pkey PRIMARY KEY (delivery_id, number);


--
-- Name: attempts_first attempts_first_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.attempts_first
    ADD CONSTRAINT attempts_first_pkey PRIMARY KEY (delivery_id, number);


--
-- Name: audit_marks audit_marks_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.audit_marks
    ADD CONSTRAINT audit_marks_pkey PRIMARY KEY (name);


--
-- Name: changes changes_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (id);


--
-- Name: deliveries deliveries_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);


--
-- Name: deliveries_first deliveries_first_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.deliveries_first
    ADD CONSTRAINT deliveries_first_pkey PRIMARY KEY (id);


--
-- Name: event_keys event_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.event_keys
    ADD CONSTRAINT event_keys_pkey PRIMARY KEY (key);


--
-- Name: events events_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);


--
-- Name: events_first events_first_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.events_first
    ADD CONSTRAINT events_first_pkey PRIMARY KEY (id);


--
-- Name: list_counts list_counts_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.list_counts
    ADD CONSTRAINT list_counts_pkey PRIMARY KEY (account_id, list, slot);


--
-- Name: platform_tokens platform_tokens_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.platform_tokens
    ADD CONSTRAINT platform_tokens_pkey PRIMARY KEY (id);


--
-- Name: portal_sessions portal_sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.portal_sessions
    ADD CONSTRAINT portal_sessions_pkey PRIMARY KEY (id);


--
-- Name: replays replays_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.replays
    ADD CONSTRAINT replays_pkey PRIMARY KEY (id);


--
-- Name: request_windows request_windows_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.request_windows
    ADD CONSTRAINT request_windows_pkey PRIMARY KEY (token_id);


--
-- Name: statistics statistics_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.statistics
    ADD CONSTRAINT statistics_pkey PRIMARY KEY (subject_id, resolution, start, event);


--
-- Name: subscriptions subscriptions_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (id);


--
-- Name: test_calls test_calls_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.test_calls
    ADD CONSTRAINT test_calls_pkey PRIMARY KEY (id);


--
-- Name: verifications verifications_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_pkey PRIMARY KEY (id);


--
-- Name: webhook_rate_limits webhook_rate_limits_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.webhook_rate_limits
    ADD CONSTRAINT webhook_rate_limits_pkey PRIMARY KEY (webhook_id);


--
-- Name: webhooks webhooks_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);


--
-- Name: access_tokens_account_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX access_tokens_account_id_idx ON public.access_tokens USING btree (account_id);


--
-- Name: access_tokens_hash_key; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX access_tokens_hash_key ON public.access_tokens USING btree (hash);


--
-- Name: changes_account_id_action_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX changes_account_id_action_id_idx ON public.changes USING btree (account_id, action, id DESC);


--
-- Name: changes_account_id_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX changes_account_id_id_idx ON public.changes USING btree (account_id, id DESC);


--
-- Name: changes_account_id_object_id_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX changes_account_id_object_id_id_idx ON public.changes USING btree (account_id, object_id, id DESC);


--
-- Name: deliveries_account_id_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_account_id_id_idx ON ONLY public.deliveries USING btree (account_id, id DESC);


--
-- Name: deliveries_claim_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_claim_idx ON ONLY public.deliveries USING btree (webhook_id, channel, due_at) WHERE ((due_at IS NOT NULL) AND (lease_expires_at IS NULL));


--
-- Name: deliveries_due_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_due_idx ON ONLY public.deliveries USING btree (due_at, id) INCLUDE (webhook_id, channel, account_id) WHERE ((due_at IS NOT NULL) AND (lease_expires_at IS NULL));


--
-- Name: deliveries_event_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_event_id_idx ON ONLY public.deliveries USING btree (event_id);


--
-- Name: deliveries_first_account_id_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_first_account_id_id_idx ON public.deliveries_first USING btree (account_id, id DESC);


--
-- Name: deliveries_undelivered_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_undelivered_idx ON ONLY public.deliveries USING btree (account_id, id DESC) WHERE (state = ANY (ARRAY['failed'::public.delivery_state, 'skipped'::public.delivery_state]));


--
-- Name: deliveries_first_account_id_id_idx1; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_first_account_id_id_idx1 ON public.deliveries_first USING btree (account_id, id DESC) WHERE (state = ANY (ARRAY['failed'::public.delivery_state, 'skipped'::public.delivery_state]));


--
-- Name: deliveries_first_due_at_id_webhook_id_channel_account_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_first_due_at_id_webhook_id_channel_account_id_idx ON public.deliveries_first USING btree (due_at, id) INCLUDE (webhook_id, channel, account_id) WHERE ((due_at IS NOT NULL) AND (lease_expires_at IS NULL));


--
-- Name: deliveries_first_event_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_first_event_id_idx ON public.deliveries_first USING btree (event_id);


--
-- Name: deliveries_lease_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_lease_idx ON ONLY public.deliveries USING btree (lease_expires_at) WHERE (lease_expires_at IS NOT NULL);


--
-- Name: deliveries_first_lease_expires_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_first_lease_expires_at_idx ON public.deliveries_first USING btree (lease_expires_at) WHERE (lease_expires_at IS NOT NULL);


--
-- Name: deliveries_first_webhook_id_channel_due_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_first_webhook_id_channel_due_at_idx ON public.deliveries_first USING btree (webhook_id, channel, due_at) WHERE ((due_at IS NOT NULL) AND (lease_expires_at IS NULL));


--
-- Name: deliveries_webhook_id_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_webhook_id_id_idx ON ONLY public.deliveries USING btree (webhook_id, id DESC);


--
-- Name: deliveries_first_webhook_id_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_first_webhook_id_id_idx ON public.deliveries_first USING btree (webhook_id, id DESC);


--
-- Name: deliveries_webhook_undelivered_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_webhook_undelivered_idx ON ONLY public.deliveries USING btree (webhook_id, id DESC) WHERE (state = ANY (ARRAY['failed'::public.delivery_state, 'skipped'::public.delivery_state]));


--
-- Name: deliveries_first_webhook_id_id_idx1; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX deliveries_first_webhook_id_id_idx1 ON public.deliveries_first USING btree (webhook_id, id DESC) WHERE (state = ANY (ARRAY['failed'::public.delivery_state, 'skipped'::public.delivery_state]));


--
-- Name: event_keys_event_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX event_keys_event_id_idx ON public.event_keys USING brin (event_id);


--
-- Name: events_account_id_message_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_account_id_message_id_idx ON ONLY public.events USING btree (account_id, message_id);


--
-- Name: events_account_id_mobile_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_account_id_mobile_idx ON ONLY public.events USING btree (account_id, mobile);


--
-- Name: events_duplicates_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_duplicates_idx ON ONLY public.events USING btree (id DESC) WHERE (duplicate_count IS NOT NULL);


--
-- Name: events_first_account_id_message_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_first_account_id_message_id_idx ON public.events_first USING btree (account_id, message_id);


--
-- Name: events_first_account_id_mobile_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_first_account_id_mobile_idx ON public.events_first USING btree (account_id, mobile);


--
-- Name: events_first_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_first_id_idx ON public.events_first USING btree (id DESC) WHERE (duplicate_count IS NOT NULL);


--
-- Name: events_state_received_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_state_received_at_idx ON ONLY public.events USING btree (state, received_at);


--
-- Name: events_first_state_received_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX events_first_state_received_at_idx ON public.events_first USING btree (state, received_at);


--
-- Name: platform_tokens_hash_key; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX platform_tokens_hash_key ON public.platform_tokens USING btree (hash);


--
-- Name: portal_sessions_account_id_expires_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX portal_sessions_account_id_expires_at_idx ON public.portal_sessions USING btree (account_id, expires_at);


--
-- Name: portal_sessions_bearer_hash_key; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX portal_sessions_bearer_hash_key ON public.portal_sessions USING btree (bearer_hash);


--
-- Name: portal_sessions_expires_at_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX portal_sessions_expires_at_idx ON public.portal_sessions USING btree (expires_at);


--
-- Name: portal_sessions_link_hash_key; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX portal_sessions_link_hash_key ON public.portal_sessions USING btree (link_hash);


--
-- Name: replays_account_id_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX replays_account_id_id_idx ON public.replays USING btree (account_id, id);


--
-- Name: replays_running_key; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX replays_running_key ON public.replays USING btree (webhook_id) WHERE (state = 'running'::text);


--
-- Name: statistics_resolution_start_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX statistics_resolution_start_idx ON public.statistics USING btree (resolution, start);


--
-- Name: subscriptions_account_id_event_identity_webhook_id_key; Type: INDEX; Schema: public; Owner: postgres
--

CREATE UNIQUE INDEX subscriptions_account_id_event_identity_webhook_id_key ON public.subscriptions USING btree (account_id, event, identity, webhook_id);


--
-- Name: subscriptions_account_id_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX subscriptions_account_id_id_idx ON public.subscriptions USING btree (account_id, id DESC);


--
-- Name: subscriptions_webhook_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX subscriptions_webhook_id_idx ON public.subscriptions USING btree (webhook_id);


--
-- Name: verifications_pending_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX verifications_pending_idx ON public.verifications USING btree (next_attempt_at, id) WHERE (state = 'pending'::public.verification_state);


--
-- Name: verifications_webhook_id_id_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX verifications_webhook_id_id_idx ON public.verifications USING btree (webhook_id, id DESC);


--
-- Name: webhooks_list_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX webhooks_list_idx ON public.webhooks USING btree (account_id, created_at DESC, id DESC) INCLUDE (deleted_at);


--
-- Name: webhooks_name_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX webhooks_name_idx ON public.webhooks USING gin (account_id, name public.gin_trgm_ops);


--
-- Name: webhooks_unnotified_pause_idx; Type: INDEX; Schema: public; Owner: postgres
--

CREATE INDEX webhooks_unnotified_pause_idx ON public.webhooks USING btree (id) WHERE ((paused_at IS NOT NULL) AND (pause_notified_at IS NULL));


--
-- Name: attempts_first_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.attempts_pkey ATTACH PARTITION public.attempts_first_pkey;


--
-- Name: deliveries_first_account_id_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.deliveries_account_id_id_idx ATTACH PARTITION public.deliveries_first_account_id_id_idx;


--
-- Name: deliveries_first_account_id_id_idx1; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.deliveries_undelivered_idx ATTACH PARTITION public.deliveries_first_account_id_id_idx1;


--
-- Name: deliveries_first_due_at_id_webhook_id_channel_account_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.deliveries_due_idx ATTACH PARTITION public.deliveries_first_due_at_id_webhook_id_channel_account_id_idx;


--
-- Name: deliveries_first_event_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.deliveries_event_id_idx ATTACH PARTITION public.deliveries_first_event_id_idx;


--
-- Name: deliveries_first_lease_expires_at_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.deliveries_lease_idx ATTACH PARTITION public.deliveries_first_lease_expires_at_idx;


--
-- Name: deliveries_first_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.deliveries_pkey ATTACH PARTITION public.deliveries_first_pkey;


--
-- Name: deliveries_first_webhook_id_channel_due_at_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.deliveries_claim_idx ATTACH PARTITION public.deliveries_first_webhook_id_channel_due_at_idx;


--
-- Name: deliveries_first_webhook_id_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.deliveries_webhook_id_id_idx ATTACH PARTITION public.deliveries_first_webhook_id_id_idx;


--
-- Name: deliveries_first_webhook_id_id_idx1; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.deliveries_webhook_undelivered_idx ATTACH PARTITION public.deliveries_first_webhook_id_id_idx1;


--
-- Name: events_first_account_id_message_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.events_account_id_message_id_idx ATTACH PARTITION public.events_first_account_id_message_id_idx;


--
-- Name: events_first_account_id_mobile_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.events_account_id_mobile_idx ATTACH PARTITION public.events_first_account_id_mobile_idx;


--
-- Name: events_first_id_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.events_duplicates_idx ATTACH PARTITION public.events_first_id_idx;


--
-- Name: events_first_pkey; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.events_pkey ATTACH PARTITION public.events_first_pkey;


--
-- Name: events_first_state_received_at_idx; Type: INDEX ATTACH; Schema: public; Owner: postgres
--

ALTER INDEX public.events_state_received_at_idx ATTACH PARTITION public.events_first_state_received_at_idx;


--
-- Name: subscriptions subscriptions_count_added; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER subscriptions_count_added AFTER INSERT ON public.subscriptions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.ringback_count_subscriptions();


--
-- Name: subscriptions subscriptions_count_emptied; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER subscriptions_count_emptied AFTER TRUNCATE ON public.subscriptions FOR EACH STATEMENT EXECUTE FUNCTION public.ringback_count_subscriptions();


--
-- Name: subscriptions subscriptions_count_removed; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER subscriptions_count_removed AFTER DELETE ON public.subscriptions REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.ringback_count_subscriptions();


--
-- Name: webhooks webhooks_count_added; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER webhooks_count_added AFTER INSERT ON public.webhooks REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.ringback_count_webhooks();


--
-- Name: webhooks webhooks_count_emptied; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER webhooks_count_emptied AFTER TRUNCATE ON public.webhooks FOR EACH STATEMENT EXECUTE FUNCTION public.ringback_count_webhooks();


--
-- Name: webhooks webhooks_count_moved; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER webhooks_count_moved AFTER UPDATE OF deleted_at ON public.webhooks FOR EACH ROW WHEN (((old.deleted_at IS NULL) IS DISTINCT FROM (new.deleted_at IS NULL))) EXECUTE FUNCTION public.ringback_count_webhooks();


--
-- Name: webhooks webhooks_count_removed; Type: TRIGGER; Schema: public; Owner: postgres
--

CREATE TRIGGER webhooks_count_removed AFTER DELETE ON public.webhooks REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.ringback_count_webhooks();


--
-- Name: access_tokens access_tokens_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.access_tokens
    ADD CONSTRAINT access_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;


--
-- Name: changes changes_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;


--
-- Name: portal_sessions portal_sessions_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.portal_sessions
    ADD CONSTRAINT portal_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;


--
-- Name: replays replays_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.replays
    ADD CONSTRAINT replays_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON UPDATE CASCADE ON DELETE RESTRICT;


--
-- Name: subscriptions subscriptions_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;


--
-- Name: subscriptions subscriptions_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON UPDATE CASCADE ON DELETE RESTRICT;


--
-- Name: verifications verifications_webhook_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.verifications
    ADD CONSTRAINT verifications_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON UPDATE CASCADE ON DELETE RESTRICT;


--
-- Name: webhooks webhooks_account_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;


--
-- PostgreSQL database dump complete
--

\unrestrict bFJZbA1uIvwpfjofMgH3X0gAnt77s8vjLEKRawSGJHDCh5K2da4S5efRA20vMEa

