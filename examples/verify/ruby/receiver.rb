# Receives callbacks. It answers 200 to genuine ones, and 401 with the reason to others. See ../README.md for its settings.
require 'socket'
require_relative 'verify'

SECRET, WEBHOOK_ID, BEARER = %w[SECRET WEBHOOK_ID BEARER].map { |name| ENV.fetch(name, '') }
abort 'Set SECRET, or WEBHOOK_ID and BEARER.' if SECRET.empty? && (WEBHOOK_ID.empty? || BEARER.empty?)

MAX_BYTES = 20_971_520

def find_problem(headers, body)
  return 'the body is too large or malformed' if body.nil?
  return Callbacks.find_signature_problem(WEBHOOK_ID, BEARER, headers, body) if SECRET.empty?

  Callbacks.find_standard_webhook_problem(SECRET, headers, body)
end
find_problem({}, '') # A malformed secret ends the program now.

# Ruby's standard library has no HTTP server. A real receiver uses Rails or another framework, of which only the headers and
# the raw body are needed.
def read_request(socket)
  socket.gets
  lines = socket.each_line.take_while { |line| line != "\r\n" }
  headers = lines.to_h { |line| line.chomp.split(/:\s*/, 2) }.transform_keys(&:downcase)
  return [headers, read_chunks(socket)] if headers['transfer-encoding'].to_s.downcase.include?('chunked')

  length = headers.fetch('content-length', '0')
  [headers, length.match?(/\A[0-9]{1,8}\z/) && length.to_i <= MAX_BYTES ? socket.read(length.to_i) : nil]
end

# Reads a body that a proxy sends in chunks.
def read_chunks(socket)
  body = ''.b
  until (size = Integer(socket.gets[/\A\h+/], 16)).zero?
    return nil if body.bytesize + size > MAX_BYTES

    body << socket.read(size)
    socket.gets
  end
  nil until socket.gets.chomp.empty? # the trailers
  body
rescue TypeError, NoMethodError
  nil # It is malformed, or ends early.
end

def receive(socket)
  headers, body = read_request(socket)
  problem = find_problem(headers, body)
  puts "genuine #{body}" if problem.nil?
  status = problem ? '401 Unauthorized' : '200 OK'
  type = 'Content-Type: text/plain'
  length = "Content-Length: #{problem.to_s.bytesize}"
  socket.write("HTTP/1.1 #{status}\r\n#{type}\r\n#{length}\r\nConnection: close\r\n\r\n#{problem}")
ensure
  socket.close
end

$stdout.sync = true
server = TCPServer.new(ENV.fetch('PORT', '4000').to_i)
puts "receiving at http://localhost:#{server.addr[1]}/"
loop { Thread.new(server.accept) { |socket| receive(socket) } }
