# Pushes a delivery report with the official BullMQ client for Elixir, without any job options.
Mix.install([{:bullmq, "~> 2.1"}])

env = fn name, default -> System.get_env(name) || default end
message_id = List.first(System.argv()) || "#{Base.encode16(:crypto.strong_rand_bytes(16), case: :lower)}:1"

{:ok, _} =
  BullMQ.RedisConnection.start_link(name: :redis, url: env.("REDIS_URL", "redis://localhost:6379"), pool_size: 1)

data = %{
  account_id: System.get_env("ACCOUNT_ID"),
  webhook_id: System.get_env("WEBHOOK_ID"),
  payload: %{id: message_id, mobile: "918921269000", status: "DELIVRD", credits: "2.0000", units: 2}
}

# An id that is not known is left out, not sent as null.
known = Map.reject(data, fn {_name, value} -> value == nil end)

{:ok, _job} =
  BullMQ.Queue.add("sms-events", "sms:message:status", known,
    connection: :redis,
    prefix: env.("QUEUE_PREFIX", "ringback")
  )

IO.puts("pushed #{message_id}")
