package dev.backoff.refresh.nacos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.alibaba.nacos.api.config.remote.request.ConfigBatchListenRequest;
import com.alibaba.nacos.api.config.remote.request.ConfigBatchListenRequest.ConfigListenContext;
import com.alibaba.nacos.api.config.remote.request.ConfigChangeNotifyRequest;
import com.alibaba.nacos.api.config.remote.request.ConfigQueryRequest;
import com.alibaba.nacos.api.config.remote.response.ConfigChangeBatchListenResponse;
import com.alibaba.nacos.api.config.remote.response.ConfigQueryResponse;
import com.alibaba.nacos.api.grpc.auto.BiRequestStreamGrpc.BiRequestStreamImplBase;
import com.alibaba.nacos.api.grpc.auto.Payload;
import com.alibaba.nacos.api.grpc.auto.RequestGrpc.RequestImplBase;
import com.alibaba.nacos.api.remote.request.ServerCheckRequest;
import com.alibaba.nacos.api.remote.response.HealthCheckResponse;
import com.alibaba.nacos.api.remote.response.Response;
import com.alibaba.nacos.api.remote.response.ServerCheckResponse;
import com.alibaba.nacos.common.remote.client.grpc.GrpcUtils;
import com.alibaba.nacos.common.utils.MD5Utils;
import com.alibaba.nacos.shaded.io.grpc.Server;
import com.alibaba.nacos.shaded.io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import com.alibaba.nacos.shaded.io.grpc.stub.StreamObserver;

/**
 * A stub of a Nacos server for the gRPC of its client, made of the classes of that
 * client. It has one configuration, and pushes each change of it.
 */
final class NacosServer implements AutoCloseable {

	private final List<StreamObserver<Payload>> clients = new CopyOnWriteArrayList<>();

	private final Server server;

	private volatile String content;

	/* What is listened to: none until a client asks. */
	private volatile ConfigListenContext config = new ConfigListenContext();

	NacosServer(String content) {
		this.content = content;
		try {
			this.server = NettyServerBuilder.forPort(0)
				.addService(new Requests())
				.addService(new Pushes())
				.build()
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int port() {
		return this.server.getPort();
	}

	/** Take the content, and tell each client that it has changed. */
	void publish(String content) {
		this.content = content;
		Payload change = GrpcUtils.convert(ConfigChangeNotifyRequest.build(this.config.getDataId(),
				this.config.getGroup(), this.config.getTenant()));
		if (this.config.getDataId() != null) {
			this.clients.forEach((client) -> client.onNext(change));
		}
	}

	private Response answer(Object request) {
		if (request instanceof ServerCheckRequest) {
			return new ServerCheckResponse("client", false);
		}
		if (request instanceof ConfigQueryRequest) {
			ConfigQueryResponse answer = ConfigQueryResponse.buildSuccessResponse(this.content);
			answer.setMd5(md5());
			return answer;
		}
		return (request instanceof ConfigBatchListenRequest listen) ? changes(listen) : new HealthCheckResponse();
	}

	private Response changes(ConfigBatchListenRequest request) {
		ConfigChangeBatchListenResponse answer = new ConfigChangeBatchListenResponse();
		for (ConfigListenContext config : request.getConfigListenContexts()) {
			this.config = config;
			if (!md5().equals(config.getMd5())) {
				answer.addChangeConfig(config.getDataId(), config.getGroup(), config.getTenant());
			}
		}
		return answer;
	}

	private String md5() {
		return MD5Utils.md5Hex(this.content, "UTF-8");
	}

	@Override
	public void close() {
		this.server.shutdownNow();
	}

	private final class Requests extends RequestImplBase {

		@Override
		public void request(Payload request, StreamObserver<Payload> answers) {
			answers.onNext(GrpcUtils.convert(answer(GrpcUtils.parse(request))));
			answers.onCompleted();
		}

	}

	private final class Pushes extends BiRequestStreamImplBase {

		@Override
		public StreamObserver<Payload> requestBiStream(StreamObserver<Payload> client) {
			NacosServer.this.clients.add(client);
			return new StreamObserver<>() {

				@Override
				public void onNext(Payload acknowledged) {
				}

				@Override
				public void onError(Throwable failure) {
					NacosServer.this.clients.remove(client);
				}

				@Override
				public void onCompleted() {
					NacosServer.this.clients.remove(client);
				}

			};
		}

	}

}
